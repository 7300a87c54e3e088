#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The web page of `convict report --format html` in headless Chromium: real clicks, real keys, no network.

browser_test.py --write-pages PROGRAM --screenshots DIRECTORY [name of a test...]
Exit codes: 0 passed, 1 failed, 77 skipped, because Chromium, its driver or Selenium is not installed.
"""
import argparse
import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (CHROMIUM and DRIVER):
    print("skipped: needs the packages chromium and chromium-driver")
    sys.exit(SKIPPED)
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    print("skipped: needs the package python3-selenium")
    sys.exit(SKIPPED)

WIDE, NARROW = (1280, 900), (360, 740)
pages = screenshots = None  # directories; set by main


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    # As root in a container there is no sandbox, and /dev/shm is small.
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
    browser.set_script_timeout(300)  # as long as CTest lets a test run
    return browser


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = start_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def setUp(self):
        self.resize(WIDE)
        self.prefer("light")
        self.browser.get_log("browser"), self.browser.get_log("performance")  # what other tests left

    def tearDown(self):
        """Whatever a test does, the page complains of nothing and asks nobody for anything."""
        self.run_js("localStorage.clear()")
        self.assertEqual(self.complaints(), [])
        self.assertEqual(self.requests(), [])

    def complaints(self):
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def requests(self):
        """What was asked for since the last call, but the page itself."""
        sent = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        urls = [one["params"]["request"]["url"] for one in sent if one["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("file:", "data:", "about:"))]

    def devtools(self, command, **arguments):
        return self.browser.execute_cdp_cmd(command, arguments)

    def resize(self, size):
        self.devtools("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
                      mobile=size == NARROW)

    def prefer(self, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, page, fragment=""):
        self.browser.get("about:blank")  # a change of the fragment alone would not load the page
        self.browser.get((pages / f"{page}.html").as_uri() + fragment)

    def run_js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return [element.text for element in self.all(selector)]

    def press(self, *keys):
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    def until(self, condition):
        return WebDriverWait(self.browser, 10).until(lambda browser: condition())

    def ids(self):
        return self.texts("#mismatches tbody .col-id")

    def opened(self):
        pane = self.one("#detail")
        return self.one("#detail h3 a").text if pane.is_displayed() else None

    def screenshot_of_all(self, name):
        """Not only what is in view."""
        self.run_js("drawAllCharts()")
        width, height = self.run_js("return [innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 8000), "scale": 1}
        picture = self.devtools("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        (screenshots / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def test_overview(self):
        self.open("sample")
        self.assertEqual(self.browser.title, "convict report: nightly.db")
        self.assertEqual(self.texts("#overview .tile strong")[:6], ["2", "1", "1", "1", "1", "824,690"])
        self.assertIn("wrong-exact", self.one("#overview .bars").text)
        self.assertIn("18446744073709551608", self.one("#progress").text)  # of 64 bits, every digit
        features = self.run_js("return JSON.parse(document.getElementById('facts').textContent).profiles[0].features")
        self.assertGreater(len(features), 28)
        self.assertEqual(len(self.all("#coverage .matrix tbody tr")), len(features) - 1)  # a row for all but the last
        self.assertIn("libtorch:native", self.one("#environment").text)
        self.assertIn("93.3 %", self.one("#detection").text)
        self.run_js("drawAllCharts()")
        for canvas in self.all(".chart canvas"):
            painted = self.run_js("const [canvas] = arguments, {width, height} = canvas; return canvas.getContext('2d')"
                                  ".getImageData(0, 0, width, height).data.some((byte) => byte !== 0)", canvas)
            self.assertTrue(painted, canvas.get_attribute("aria-label"))
        self.one("#overview .tile.is-known").click()
        self.assertEqual(self.ids(), ["#18"])

    def test_legend(self):
        self.open("sample")
        self.assertFalse(self.one("#legend dl").is_displayed())
        self.one("#legend summary").click()
        words = self.texts("#legend dt")
        for word in ("target", "oracle", "suspect", "hits", *self.texts("#overview .bars:first-child button")):
            self.assertIn(word, words)
        self.assertNotIn("", self.texts("#legend dd"))
        self.assertNotIn("hang", words)  # no mismatch of this page is one
        self.one("tr[data-id='17']").click()
        self.until(lambda: self.opened() == "#17")
        self.assertIn("the target is wrong", self.one("#detail").text)
        self.assertIn("a result differs", self.one("#detail .meaning").text)

    def test_filters(self):
        self.open("sample")
        self.assertEqual(self.ids(), ["#19", "#17", "#18", "#22", "#20", "#21"])  # by importance
        Select(self.one("#filter-status")).select_by_value("new")
        self.assertEqual(self.ids(), ["#19", "#17"])
        Select(self.one("#filter-suspect")).select_by_value("guilty")
        self.assertEqual(self.ids(), ["#17"])
        self.assertEqual(self.one("#shown").text, "1 of 6")
        Select(self.one("#filter-verdict")).select_by_value("shape")
        self.assertEqual(self.texts("#mismatches tbody tr"), ["No mismatch is like that."])
        self.one(".filters .quiet").click()
        self.assertEqual(len(self.ids()), 6)
        self.press("/")
        self.press("OUTPUT-UNWRITTEN")
        self.assertEqual(self.ids(), ["#20"])
        self.press(Keys.ESCAPE)
        self.assertEqual(len(self.ids()), 6)
        self.press("waits for an answer")  # of a note
        self.assertEqual(self.ids(), ["#18"])

    def test_order(self):
        self.open("sample")
        self.one("th.col-id button").click()
        self.assertEqual(self.ids(), ["#17", "#18", "#19", "#20", "#21", "#22"])
        self.assertEqual(self.one("th.col-id").get_attribute("aria-sort"), "ascending")
        self.one("th.col-id button").click()
        self.assertEqual(self.ids(), ["#22", "#21", "#20", "#19", "#18", "#17"])
        self.one("th.col-hits button").click()
        hits = [int(text) for text in self.texts("#mismatches td.col-hits")]
        self.assertEqual(hits, sorted(hits, reverse=True))

    def test_open_from_the_list(self):
        self.open("sample")
        self.assertIsNone(self.opened())
        self.one("tr[data-id='17'] .col-case").click()
        self.until(lambda: self.opened() == "#17")
        self.assertTrue(self.browser.current_url.endswith("#m17"))
        pane = self.one("#detail").text
        for part in ("fails iff bias = yes and op >= 1", "dst[0,0,7,0] is 0, exact is 3", "none (equality)",
                     "12 wrong, 0 unwritten of 96", "214 samples", "agrees", "refused: ld >= 2", "output-padding"):
            self.assertIn(part, pane)
        self.browser.back()
        self.until(lambda: self.opened() is None)

    def test_open_by_address(self):
        self.open("sample", "#m18")
        self.assertEqual(self.opened(), "#18")
        link = self.one("#detail dd a")
        self.assertEqual(link.get_attribute("href"), "https://example.org/issues/1")
        self.assertTrue(self.run_js("const box = document.getElementById('detail').getBoundingClientRect();"
                                    "return box.top < innerHeight && box.bottom > 0"))
        self.open("sample", "#m99")
        self.assertIsNone(self.opened())
        self.assertIn("no mismatch #99", self.one("#missing").text)

    def test_keys(self):
        self.open("sample")
        self.press("j")
        self.press("j")
        self.assertEqual(self.browser.switch_to.active_element.text, "#17")
        self.press("k")
        self.assertEqual(self.browser.switch_to.active_element.text, "#19")
        self.press(Keys.ARROW_DOWN, Keys.ENTER)
        self.until(lambda: self.opened() == "#17")
        self.press("j")
        self.until(lambda: self.opened() == "#18")
        self.press(Keys.ESCAPE)
        self.assertIsNone(self.opened())
        self.assertEqual(self.browser.switch_to.active_element.text, "#18")
        self.assertNotIn("#m", self.browser.current_url)

    def test_error_map(self):
        self.open("sample", "#m17")
        pictures = self.all(".map canvas")
        self.assertEqual(len(pictures), 3)
        self.assertEqual(self.one(".map .readout").text, "dst[0, 0, 7, 0] wrong: got 0, expected 3")
        before = self.run_js("return arguments[0].toDataURL()", pictures[1])
        slider = self.one("input[data-dimension='c']")
        slider.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.one(".map .readout").text, "dst[0, 1, 7, 0] wrong: got 0, expected -2")
        self.assertNotEqual(self.run_js("return arguments[0].toDataURL()", pictures[1]), before)
        pictures[0].send_keys(Keys.ARROW_UP, Keys.ARROW_RIGHT)
        self.assertIn("dst[0, 1, 6, 1] right", self.one(".map .readout").text)
        self.open("sample", "#m18")
        self.assertEqual(len(self.all(".map canvas")), 1)  # without values, only what is wrong
        sliders = [slider.get_attribute("data-dimension") for slider in self.all(".sliders input")]
        self.assertEqual(sliders, ["n", "c", "d"])
        self.one("input[data-dimension='c']").send_keys(Keys.HOME)
        self.assertIn("0 wrong", self.texts(".sliders output")[1])
        self.open("sample", "#m22")
        self.assertIn("diff_wei[0, 0, 0, 2] wrong", self.one(".map .readout").text)

    def test_copy(self):
        self.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.open("sample", "#m17")

        def copied(selector):
            button = self.one(selector)
            button.click()
            self.until(lambda: button.text == "Copied")
            return self.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")

        self.assertEqual(copied("[aria-label='Copy the command']"),
                         "convict repro --target guilty 'conv_transpose2d ic=2 oc=2 in=4x3 k=1x2 s=2x2 op=1x0 bias seed=7'")
        self.assertIn("import torch", copied("[aria-label='Copy the PyTorch reproducer']"))
        self.assertIn("convict/convict.h", copied("[aria-label='Copy the C++ reproducer']"))
        self.assertIn("benchdnn", copied("[aria-label='Copy the benchdnn reproducer']"))
        self.assertEqual(self.one("#announcement").get_attribute("textContent"), "Copied: the benchdnn reproducer")

    def test_theme(self):
        self.prefer("dark")
        self.open("sample")
        ground = lambda: self.run_js("return getComputedStyle(document.body).backgroundColor")
        dark = ground()
        self.one("#theme").click()
        self.assertNotEqual(ground(), dark)
        self.browser.refresh()
        self.assertNotEqual(ground(), dark)  # it is remembered
        self.one("#theme").click()
        self.assertEqual(ground(), dark)
        self.open("sample", "#m17")
        picture = self.run_js("return document.querySelector('.map canvas').toDataURL()")
        self.one("#theme").click()
        self.assertNotEqual(self.run_js("return document.querySelector('.map canvas').toDataURL()"), picture)

    def test_phone(self):
        self.resize(NARROW)
        for page in ("sample", "empty", "hostile", "large"):
            self.open(page)
            self.assertLessEqual(self.run_js("return document.documentElement.scrollWidth"), NARROW[0], page)
        self.open("sample")
        self.one("tr[data-id='17']").click()
        self.until(lambda: self.opened() == "#17")
        self.assertLessEqual(self.run_js("return document.getElementById('detail').scrollWidth"), NARROW[0])
        self.one("#detail .close").click()
        self.assertIsNone(self.opened())

    def test_accessible(self):
        """Every control has a name, every text has contrast."""
        for scheme in ("light", "dark"):
            self.prefer(scheme)
            self.open("sample", "#m17")
            nameless = self.run_js("""const controls = 'button, input, select, canvas, a, [role=region]';
              const name = (one) => one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length;
              return [...document.querySelectorAll(controls)].filter((one) => !name(one)).map((one) => one.outerHTML)""")
            self.assertEqual(nameless, [])
            self.assertEqual(self.run_js(CONTRAST), [], scheme)

    def test_the_checks_can_fail(self):
        """A page with a fault of each kind that tearDown and the tests here look for."""
        (pages / "faulty.html").write_text("<body style='background: #fff'><p style='color: #999'>pale</p>"
                                           "<img src='http://127.0.0.1:9/x.png' style='width: 3000px'>"
                                           "<script>console.error('complaint')</script>")
        self.open("faulty")
        self.assertIn("http://127.0.0.1:9/x.png", self.requests())
        self.assertIn("complaint", str(self.complaints()))
        self.assertEqual([words for contrast, tag, words in self.run_js(CONTRAST)], ["pale"])
        self.assertGreater(self.run_js("return document.documentElement.scrollWidth"), WIDE[0])

    def test_print(self):
        self.open("sample", "#m17")
        pdf = base64.b64decode(self.devtools("Page.printToPDF", printBackground=True)["data"])
        (screenshots / "print.pdf").write_bytes(pdf)
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.devtools("Emulation.setEmulatedMedia", media="print", features=[])
        self.assertFalse(self.one("nav#sections").is_displayed())
        self.assertTrue(self.one("#detail").is_displayed())
        self.devtools("Emulation.setEmulatedMedia", media="", features=[])

    def test_hostile(self):
        self.open("hostile")
        self.assertIsNone(self.run_js("return window.broken ?? null"))
        self.assertEqual(len(self.all("script")), 3)
        self.assertEqual(self.all("img, iframe, object, embed"), [])
        for fragment in ("#m17", "#m18"):
            self.open("hostile", fragment)
            self.assertEqual(self.opened(), fragment.replace("m", ""))
            self.assertEqual(self.all("#detail dd a"), [])  # javascript: is no link
            self.assertIn("</script><script>window.broken = 1</script>", self.one("#detail").text)
            self.assertEqual([sign for sign in "\x01\x1b\u202e" if sign in self.one("#detail").text], [])
            self.assertIsNone(self.run_js("return window.broken ?? null"))

    def test_policy_stops_what_is_not_ours(self):
        """Were a text to become a tag after all, nothing would run or be fetched."""
        self.open("sample")
        self.run_js("const script = document.createElement('script'); script.textContent = 'window.broken = 1';"
                    "document.body.append(script)")
        self.assertIsNone(self.run_js("return window.broken ?? null"))
        refused = self.browser.execute_async_script(
            "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused').then(arguments[0])")
        self.assertEqual(refused, "refused")
        complaints = self.complaints()
        self.assertTrue(complaints and all("Content Security Policy" in one for one in complaints[:2]), complaints)

    def test_empty(self):
        self.open("empty")
        self.assertIn("Nothing has been recorded yet.", self.one("#overview").text)
        self.assertIn("convict fuzz --time 60s --db empty.db", self.one("#overview").text)
        self.assertFalse(self.one(".mismatches").is_displayed())
        self.screenshot_of_all("empty")

    def test_large(self):
        self.open("large")
        self.assertEqual(self.one("#shown").text, "10,000 mismatches")
        self.assertEqual(len(self.ids()), 100)
        self.one(".pages button:last-child").click()
        self.assertIn("101–200 of 10,000", self.one(".pages").text)
        self.press("/")
        self.press("#9999")
        self.assertEqual(self.ids(), ["#9999"])
        self.open("large", "#m10000")  # wontfix: no details
        self.assertEqual(self.opened(), "#10000")
        self.assertIn("convict show 10000 --db nightly.db", self.one("#detail").text)
        self.open("large")
        interactive, loaded = self.run_js("const [page] = performance.getEntriesByType('navigation');"
                                          "return [page.domInteractive, page.loadEventEnd]")
        size = (pages / "large.html").stat().st_size
        self.assertLess(size, 10_000_000)
        print(f"10,000 mismatches: {size} bytes, interactive after {interactive:.0f} ms, loaded after {loaded:.0f} ms")

    def test_screenshots(self):
        for size, width in ((WIDE, "wide"), (NARROW, "narrow")):
            self.resize(size)
            for scheme in ("light", "dark"):
                self.prefer(scheme)
                self.open("sample")
                self.screenshot_of_all(f"page-{width}-{scheme}")
                self.open("sample", "#m17")
                self.browser.save_screenshot(str(screenshots / f"mismatch-{width}-{scheme}.png"))
        self.assertEqual(len(list(screenshots.glob("page-*.png"))), 4)


# Texts whose contrast to the ground behind them is below that of WCAG 2.1, level AA: 4.5.
CONTRAST = """
const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
const linear = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const isText = (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim();
const ground = (one) => {
  for (; one; one = one.parentElement) {
    const parts = numbers(getComputedStyle(one).backgroundColor);
    if (parts.length === 3 || parts[3] > 0) return parts;
  }
  return [255, 255, 255];
};
return [...document.querySelectorAll('body *')]
  .filter((one) => one.checkVisibility() && !one.disabled && !one.closest('.unseen') && [...one.childNodes].some(isText))
  .map((one) => [contrast(luminance(numbers(getComputedStyle(one).color)), luminance(ground(one))), one.tagName,
                 one.textContent.slice(0, 40)])
  .filter(([value]) => value < 4.5);
"""


def main():
    global pages, screenshots
    parser = argparse.ArgumentParser()
    parser.add_argument("--write-pages", required=True)
    parser.add_argument("--screenshots", required=True, type=pathlib.Path)
    arguments, rest = parser.parse_known_args()
    screenshots = arguments.screenshots
    screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        pages = pathlib.Path(directory)
        subprocess.run([arguments.write_pages, directory], check=True)
        unittest.main(argv=[sys.argv[0], *(f"PageTest.{name}" for name in rest)], verbosity=2)


if __name__ == "__main__":
    main()
