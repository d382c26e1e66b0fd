# SPDX-License-Identifier: Apache-2.0
"""The extension for VS Code: one package for all processors, built by the npm packages of editors/vscode. It has no
copy of inftrace, and no code of others."""

import json
import os
import re
import sys
import time
import zipfile
from xml.sax.saxutils import escape, quoteattr

from content import epoch, read, version
from portable import FOLDER, ROOT, run, say

SOURCE = os.path.join(ROOT, "editors", "vscode")
# What is in the package, and nothing else.
MEDIA = ("attach.md", "first.md", "icon.png", "inftrace.svg", "install.md", "read.md")
FILES = {
    "extension/package.json": None,
    "extension/extension.js": None,
    "extension/readme.md": "editors/vscode/README.md",
    "extension/LICENSE.txt": "LICENSE",
    **{"extension/media/" + name: "editors/vscode/media/" + name for name in MEDIA},
}
# For building alone.
NOT_PACKED = ("devDependencies", "scripts", "prettier", "private")
TYPES = {"json": "application/json", "js": "application/javascript", "md": "text/markdown", "txt": "text/plain"}
TYPES.update(png="image/png", svg="image/svg+xml", vsixmanifest="text/xml")
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" \
xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
<Metadata>
<Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
<DisplayName>{display}</DisplayName>
<Description xml:space="preserve">{description}</Description>
<Tags>{tags}</Tags>
<Categories>{categories}</Categories>
<GalleryFlags>Public</GalleryFlags>
<Properties>
<Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine}/>
<Property Id="Microsoft.VisualStudio.Code.ExtensionDependencies" Value=""/>
<Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value={kind}/>
</Properties>
<License>extension/LICENSE.txt</License>
<Icon>extension/media/icon.png</Icon>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/readme.md" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/media/icon.png" Addressable="true"/>
</Assets>
</PackageManifest>
"""


def manifest(package):
    quoted = {
        "name": package["name"],
        "version": package["version"],
        "publisher": package["publisher"],
        "engine": package["engines"]["vscode"],
        "kind": ",".join(package["extensionKind"]),
    }
    plain = {
        "display": package["displayName"],
        "description": package["description"],
        "tags": ",".join(package["keywords"]),
        "categories": ",".join(package["categories"]),
    }
    return MANIFEST.format(
        **{key: quoteattr(value) for key, value in quoted.items()},
        **{key: escape(value) for key, value in plain.items()},
    )


def types():
    rows = ['<Default Extension=".%s" ContentType="%s"/>' % row for row in sorted(TYPES.items())]
    space = "http://schemas.openxmlformats.org/package/2006/content-types"
    return '<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="%s">%s</Types>\n' % (space, "".join(rows))


def built():
    """The bundle."""
    work, out = os.path.join(FOLDER, "vscode"), os.path.join(FOLDER, "vscode", "out")
    os.makedirs(work, exist_ok=True)
    tool = [sys.executable, os.path.join(ROOT, "web", "page.py")]
    run(*tool, "packages", SOURCE, work)
    run(*tool, "build", SOURCE, work, out)
    return read(os.path.join(out, "extension.js"))


def examine(package, entries):
    """Exits with the reason if the package is not what it must be."""
    names = set(FILES) | {"[Content_Types].xml", "extension.vsixmanifest"}
    troubles = ["%s is missing, or should not be there" % name for name in names ^ set(entries)]
    if package["version"] != version():
        troubles.append("editors/vscode/package.json has version %s, meson.build %s" % (package["version"], version()))
    if package.get("dependencies"):
        troubles.append("it has dependencies at run time")
    script = entries["extension/extension.js"]
    modules = set(re.findall(rb'\brequire\("([^"]+)"\)', script))
    troubles += ["it needs the module %s" % one.decode() for one in modules if one != b"vscode" and b":" not in one]
    if b"sourceMappingURL" in script or ROOT.encode() in script:
        troubles.append("the bundle names where it was built")
    named = re.findall(r'"(media/[^"]+)"', entries["extension/package.json"].decode())
    troubles += ["%s is named and not in it" % one for one in named if "extension/" + one not in entries]
    if troubles:
        sys.exit("package: the extension cannot be packed: " + "; ".join(sorted(troubles)))


def vsix(out):
    say("building the extension for VS Code")
    package = json.loads(read(os.path.join(SOURCE, "package.json")))
    packed = {key: value for key, value in package.items() if key not in NOT_PACKED}
    entries = {name: read(os.path.join(ROOT, path)) for name, path in FILES.items() if path}
    entries["extension/package.json"] = (json.dumps(packed, indent="\t", ensure_ascii=False) + "\n").encode()
    entries["extension/extension.js"] = built()
    entries["extension.vsixmanifest"] = manifest(package).encode()
    entries["[Content_Types].xml"] = types().encode()
    examine(package, entries)
    name = "inftrace-%s.vsix" % package["version"]
    moment = time.gmtime(epoch())[:6]
    with zipfile.ZipFile(os.path.join(out, name), "w") as file:
        for path, content in sorted(entries.items()):
            entry = zipfile.ZipInfo(path, moment)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            file.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return [name]
