// Texts on the page whose contrast to what is behind them is too low: [text, ratio].
// After WCAG 2.1: 4.5, or 3 for large text. Disabled controls and icons do not count.
() => {
  const parse = (colour) => {
    const parts = (colour.match(/[\d.]+/g) || []).map(Number);
    if (colour.startsWith("color(srgb")) {
      parts[0] *= 255;
      parts[1] *= 255;
      parts[2] *= 255;
    }
    return [parts[0], parts[1], parts[2], parts.length > 3 ? parts[3] : 1];
  };
  const over = (top, below) =>
    [0, 1, 2].map((k) => top[3] * top[k] + (1 - top[3]) * below[k]);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => {
      const s = c / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const faint = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim();
    const element = texts.currentNode.parentElement;
    if (!text || element.closest("script, style, noscript, [disabled], [aria-disabled=true]"))
      continue;
    // inside a bar plotly chooses black or white by the bar's colour
    if (element.closest("[data-testid=stIconMaterial], .bartext-inside")) continue;
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (!box.width || !box.height || style.visibility === "hidden") continue;
    let alpha = 1;
    for (let e = element; e; e = e.parentElement) alpha *= getComputedStyle(e).opacity;
    if (alpha < 0.05) continue;
    const colour = parse(element instanceof SVGElement ? style.fill : style.color);
    const below = behind(element);
    const seen = over([colour[0], colour[1], colour[2], colour[3] * alpha], below);
    const [a, b] = [light(seen), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const mark = /^[■▭]$/.test(text); // of a legend: a colour, not a text
    if (ratio < (large || mark ? 3 : 4.5)) faint.push([text.slice(0, 60), ratio.toFixed(2)]);
  }
  return faint;
}
