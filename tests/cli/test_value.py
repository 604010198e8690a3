"""Commands that value a table: run and explain."""


def test_the_command_line_takes_methods(tmp_path, capsys):
    from cellval.cli.arguments import main

    out = str(tmp_path)
    assert (
        main(
            [
                "run",
                "sample_data/davis.csv",
                "--label",
                "sex",
                "--method",
                "oob",
                "--rounds",
                "60",
                "--out",
                out,
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert (
        "60 trees" in said
        and "Not additive" in said
        and "sum to" not in said.split("Not")[0]
    )
    assert (
        main(
            [
                "run",
                "sample_data/davis.csv",
                "--label",
                "sex",
                "--method",
                "mc",
                "--rounds",
                "3",
                "--model",
                "knn",
                "--out",
                out,
            ]
        )
        == 0
    )
    assert "accuracy of the KNN model" in capsys.readouterr().out
    assert (
        main(
            [
                "run",
                "sample_data/davis.csv",
                "--label",
                "sex",
                "--method",
                "loo",
                "--subsets",
                "all",
                "--out",
                out,
            ]
        )
        == 2
    )
    assert "--subsets is no option of --method 'loo'" in capsys.readouterr().err
