# cellval in a container; docs/deploy.md says how to run it:
#   docker build -t cellval . && docker run -p 127.0.0.1:8501:8501 -v cellval:/data cellval
FROM python:3.11-slim AS build
WORKDIR /src
RUN pip install --no-cache-dir build==1.6.1
COPY . .
RUN python -m build --wheel --outdir /dist

FROM python:3.11-slim
COPY requirements.lock /dist/
RUN pip install --no-cache-dir --require-hashes -r /dist/requirements.lock
COPY --from=build /dist/*.whl /dist/
RUN pip install --no-cache-dir --no-deps /dist/*.whl \
    && useradd --create-home --uid 10001 cellval \
    && install --directory --owner cellval --mode 700 /data
USER 10001
WORKDIR /home/cellval
# Compiled code is kept per user, so it is warmed as the one who will run it.
RUN python -c "from cellval.jobs.warm_up import warm_up; warm_up().join()"
ENV CELLVAL_HOME=/data STREAMLIT_SERVER_ADDRESS=0.0.0.0
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", \
    "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["cellval", "app", "--no-browser", "--port", "8501"]
