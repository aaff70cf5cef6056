"""A headless Chromium that is asked what a person would see."""
import base64
import os

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# Every text that is shown, whose contrast with what is behind it is too low for its size.
FAINT = """
const parse = c => { const m = c.match(/[\\d.]+/g).map(Number); return {rgb: m.slice(0, 3), a: m.length > 3 ? m[3] : 1}; };
const light = rgb => { const [r, g, b] = rgb.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b; };
const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.a > .99) return c.rgb; }
  return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255]; };
const box = e => { const own = e.closest('svg.drawing'); return own ? parse(getComputedStyle(
  e.matches('.place, .thread') ? own.querySelector('.block') || own : own).getPropertyValue(
  e.matches('.place, .thread') && own.querySelector('.block') ? 'fill' : 'background-color')).rgb : behind(e); };
const found = new Map();
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let n = walk.nextNode(); n; n = walk.nextNode()) {
  const e = n.parentElement;
  if (!n.data.trim() || e.closest('script, style, [hidden], .skip') || !e.checkVisibility()) continue;
  const style = getComputedStyle(e), ink = parse(e.closest('svg') ? style.fill : style.color).rgb;
  const x = light(ink), y = light(box(e)), ratio = (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
  const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if (ratio < (large ? 3 : 4.5)) found.set(e.tagName + '.' + (e.getAttribute('class') || ''), ratio.toFixed(2) + ' ' + n.data.trim().slice(0, 30));
}
return [...found].map(([k, v]) => k + ' ' + v);
"""


class Browser:
    def __init__(self):
        options = Options()
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("chromedriver"), options=options)
        self.faults = []

    def command(self, name, **params):
        return self.driver.execute_cdp_cmd(name, params)

    def script(self, text, *args):
        return self.driver.execute_script(text, *args)

    def open(self, address):
        self.driver.get("about:blank")
        self.driver.get(address)
        self.name = os.path.basename(address.split("#")[0])
        self.silent()

    def expect(self, true, what):
        if not true:
            self.faults.append(f"{self.name}: {what}")

    def silent(self):
        for entry in self.driver.get_log("browser"):
            self.expect("favicon" in entry["message"], f"the console says {entry['message']}")

    def screen(self, width, dark):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        scheme = "dark" if dark else "light"
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def check_width(self, width):
        wide = self.script("return document.documentElement.scrollWidth")
        self.expect(wide <= width, f"at {width} pixels it is {wide} wide: " + str(self.script(
            "return [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 &&"
            " !e.closest('.scroll, pre')).map(e => e.tagName + '.' + e.className).slice(0, 5)")))

    def check_contrast(self, how):
        for fault in self.script(FAINT):
            self.expect(False, f"{how}: faint text: {fault}")

    def check_screens(self):
        for width in (390, 800, 2560):
            for dark in (False, True):
                self.screen(width, dark)
                self.check_width(width)
                if width == 800:
                    self.check_contrast("dark" if dark else "light")

    def picture(self, path):
        data = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=self.whole())
        with open(path, "wb") as f:
            f.write(base64.b64decode(data["data"]))

    def whole(self):
        w, h = self.script("return [innerWidth, Math.min(document.documentElement.scrollHeight, 6000)]")
        return {"x": 0, "y": 0, "width": w, "height": h, "scale": 1}

    def close(self):
        self.driver.quit()
        for fault in self.faults:
            print(fault)
        return 1 if self.faults else 0
