"""Spreadsheets written by hand, for tests: the least that is one."""

import zipfile
from xml.sax.saxutils import escape

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>'
)
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def relation(number, kind, target):
    return f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'


def cell(value, place=""):
    where = f' r="{place}"' if place else ""
    if value is None:
        return f"<c{where}/>"
    if isinstance(value, bool):
        return f'<c{where} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c{where}><v>{value!r}</v></c>"
    return f'<c{where} t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def letters(column):
    return chr(65 + column)


def rows_of(rows):
    return "".join(
        f'<row r="{r}">{"".join(cell(value, f"{letters(c)}{r}") for c, value in enumerate(row))}</row>'
        for r, row in enumerate(rows, start=1)
    )


def write_xlsx(path, sheets, shared=()):
    """Write sheets, by name, of rows or of XML, and texts that cells share."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", TYPES)
        file.writestr("_rels/.rels", RELATIONS.format(relation(1, "officeDocument", "xl/workbook.xml")))
        listed = "".join(f'<sheet name="{name}" sheetId="{k}" r:id="rId{k}"/>' for k, name in enumerate(sheets, 1))
        book = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
        file.writestr("xl/workbook.xml", book)
        parts = "".join(relation(k, "worksheet", f"worksheets/sheet{k}.xml") for k, _ in enumerate(sheets, 1))
        if shared:
            parts += relation(len(sheets) + 1, "sharedStrings", "sharedStrings.xml")
            texts = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
            file.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{texts}</sst>')
        file.writestr("xl/_rels/workbook.xml.rels", RELATIONS.format(parts))
        for k, rows in enumerate(sheets.values(), 1):
            inside = rows if isinstance(rows, str) else rows_of(rows)
            sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{inside}</sheetData></worksheet>'
            file.writestr(f"xl/worksheets/sheet{k}.xml", sheet)


def write_ods(path, rows):
    """Write a spreadsheet of OpenDocument with one sheet, of rows or of XML."""

    def one(value):
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, int | float):
            number = f'office:value-type="float" office:value="{value!r}"'
            return f"<table:table-cell {number}><text:p>{value}</text:p></table:table-cell>"
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'

    inside = (
        rows
        if isinstance(rows, str)
        else "".join(f"<table:table-row>{''.join(map(one, row))}</table:table-row>" for row in rows)
    )
    space = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{space}:office:1.0" xmlns:table="{space}:table:1.0" '
        f'xmlns:text="{space}:text:1.0" office:version="1.2"><office:body><office:spreadsheet>'
        f'<table:table table:name="one">{inside}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("content.xml", content)
        file.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
