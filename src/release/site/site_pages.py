"""Makes the pages of the site from those of docs, and checks what mkdocs made of them.

    site_pages.py prepare SOURCES SITE      writes SITE/pages, SITE/theme and SITE/mkdocs.yml
    site_pages.py finish HTML               writes the index of the search; fails if a link leads nowhere, if no link leads
                                            to a page, or if a page needs something from outside of the folder

The pages are written for GitHub's Markdown. mkdocs differs in three things: the name of a file behind the language of a
block, a bar within code in a table, and links to files that are no pages. README.md is the first page.
"""

import glob
import html.parser
import json
import os
import re
import shutil
import sys
import urllib.parse

FENCE = re.compile(r"^```(\w+) (\S+)$")
LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")
CODE = re.compile(r"<code>[^<]*</code>")
OPTION = re.compile(r"(?<![\w-])--?\w[\w-]*")
ENTRY = re.compile(r"\[([^\]]+)\]\(([^)#:]+\.md)\)")


def slug_of(text, separator):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def without_bars(line):
    """A row of a table without the backslashes that keep bars within code from being borders."""
    return re.sub(r"(`+)(.+?)\1", lambda code: code.group(0).replace("\\|", "|"), line)


class Preparation:
    def __init__(self, sources, site):
        self.docs, self.sources = os.path.join(sources, "docs"), sources
        self.pages = os.path.join(site, "pages")

    def link(self, page, target):
        """Returns where a link of a page of the site leads; both are paths below docs."""
        if os.path.isdir(os.path.join(self.docs, target)):
            readme = target + "/README.md"
            target = readme if os.path.exists(os.path.join(self.docs, readme)) else "deployment.md"
        if target == "README.md":
            target = "pages.md"
        if target.startswith("../") or not target.endswith(".md"):
            source = target
            target = "files/" + re.sub(r"(^|/)\.+/?", r"\1", target) + ".txt"  # mkdocs leaves out what begins with a dot
            os.makedirs(os.path.dirname(os.path.join(self.pages, target)), exist_ok=True)
            shutil.copy(os.path.join(self.docs, source), os.path.join(self.pages, target))
        return os.path.relpath(target, os.path.dirname(page) or ".")

    def page(self, source, name):
        """Writes a page of the site from a file, whose path is one below docs."""

        def change(match):
            target = os.path.normpath(os.path.join(os.path.dirname(source), match.group(2)))
            return match.group(1) + self.link(name, re.sub(r"^\.\./docs/", "", target)) + match.group(3)

        lines, in_block = [], False
        for line in read(os.path.join(self.docs, source)).split("\n"):
            fence = FENCE.match(line)
            if fence:
                lines += [f'<p class="file">{fence.group(2)}</p>', "", "```" + fence.group(1)]
            elif not in_block and not line.startswith("```"):
                line = LINK.sub(change, line)
                lines.append(without_bars(line) if line.startswith("|") else line)
            else:
                lines.append(line)
            in_block = in_block != line.startswith("```")
        heading = next((line for line in lines if line.startswith("# ")), "")
        if heading.startswith("# `"):  # of code, mkdocs makes no title
            lines = ["---", f"title: {heading.strip('# `')}", "---", ""] + lines
        write(os.path.join(self.pages, name), "\n".join(lines))

    def navigation(self):
        """The sections of docs/README.md with their pages, as mkdocs has them."""
        lines, section = ["nav:", "  - Start: index.md", "  - All pages: pages.md"], None
        for line in read(os.path.join(self.docs, "README.md")).split("\n"):
            if line.startswith("## "):
                section = line[3:].split(":")[0]
                lines.append(f"  - {section}:")
            for title, page in ENTRY.findall(line) if section else []:
                title = re.sub(r"[`*]", "", title).replace('"', "'")
                lines.append(f'    - "{title[0].upper()}{title[1:]}": {page}')
        return "\n".join(lines) + "\n"

    def run(self, site):
        self.page("../README.md", "index.md")
        for folder, _, names in os.walk(self.docs):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.docs)
                if name.endswith(".md"):
                    self.page(path, "pages.md" if path == "README.md" else path)
        own = os.path.join(self.sources, "src", "release", "site")
        for name in os.listdir(own):
            if name.endswith((".html", ".css", ".js")):
                write(os.path.join(site, "theme", name), read(os.path.join(own, name)))
        write(os.path.join(site, "mkdocs.yml"), read(os.path.join(own, "mkdocs.yml")) + self.navigation())


class Page(html.parser.HTMLParser):
    """What a page links to, what it needs to be shown, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.needs, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.anchors.add(values["id"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("script", "img") and values.get("src"):
            self.needs.append(values["src"])
        if tag == "link" and values.get("rel") == "stylesheet":
            self.needs.append(values["href"])


def write_index(folder):
    """Writes mkdocs' index as a script, which a page of a folder may load, too."""
    found = os.path.join(folder, "search", "search_index.json")
    docs = json.loads(read(found))["docs"]
    titles = {page["location"]: page["title"] for page in docs}
    sections = [
        {"location": section["location"], "title": section["title"], "page": titles[section["location"].split("#")[0]],
         "text": " ".join(section["text"].split())}
        for section in docs
        if "#" in section["location"]  # the others are pages, whose sections all have headings
    ]
    write(os.path.join(folder, "search_index.js"), f"const sections = {json.dumps(sections, ensure_ascii=False)};\n")
    shutil.rmtree(os.path.dirname(found))


def remove_sitemap(folder):
    """Removes mkdocs' list of the addresses of all pages: the site has no address, and each of them is "None"."""
    for path in glob.glob(os.path.join(folder, "sitemap.xml*")):
        os.remove(path)


def mark_breaks(folder):
    """Lets browsers break code after a bar, as of a type, but not an option after its hyphens."""

    def mark(code):
        return OPTION.sub(r'<span class="option">\g<0></span>', code.group(0)).replace("|", "|<wbr>")

    for root, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(root, name)
                write(path, CODE.sub(mark, read(path)))


def check(folder):
    pages, problems, linked = {}, [], {"index.html", "404.html"}
    for root, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(root, name)
                pages[os.path.relpath(path, folder)] = Page(read(path))

    def follow(name, link, is_needed):
        url = urllib.parse.urlsplit(link)
        if url.scheme or url.netloc:
            if is_needed:
                problems.append(f"{name} needs {link}")
            return
        path = urllib.parse.unquote(url.path)
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.isfile(os.path.join(folder, target)):
            problems.append(f"{name}: {link} leads nowhere")
        elif url.fragment and target in pages and urllib.parse.unquote(url.fragment) not in pages[target].anchors:
            problems.append(f"{name}: {link} has no such heading")
        if target != name:
            linked.add(target)

    for name, page in sorted(pages.items()):
        if name == "404.html":  # its links are those of a server's root
            continue
        for link in page.links:
            follow(name, link, False)
        for need in page.needs:
            follow(name, need, True)
    problems += [f"{name}: no link leads there" for name in sorted(pages.keys() - linked)]
    print("\n".join(problems + [f"{len(pages)} pages, {len(problems)} broken links"]))
    return len(problems) > 0


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        Preparation(sys.argv[2], sys.argv[3]).run(sys.argv[3])
    else:
        write_index(sys.argv[2])
        remove_sitemap(sys.argv[2])
        mark_breaks(sys.argv[2])
        sys.exit(check(sys.argv[2]))
