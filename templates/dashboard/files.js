// What is shown, as a file: CSV, or an Excel workbook written by hand. Rows as filtered and sorted, columns as chosen.

function shownTable() {
  const columns = [{ name: "key", title: "Key" }, { name: "name", title: "Model" }, ...state.columns.map((name) => COLUMN[name])];
  const sorted = table ? table.getRows("active").map((row) => row.getData()) : rows;
  return { columns, rows: sorted.map((model) => columns.map((column) => model[column.name])) };
}

// On paper stand all rows that the filters leave; the table on the screen draws only those in sight.
function printRows() {
  const { columns, rows: lines } = shownTable();
  const shown = columns.slice(1);
  const cells = (line) => shown.map((column, at) => h(at ? "td" : "th", at ? { class: typeof line[at + 1] === "number" ? "figure" : null } : { scope: "row" }, cellText(column, line[at + 1])));
  byId("view-models").append(h("table", { id: "printed" },
    h("thead", {}, h("tr", {}, shown.map(({ title }) => h("th", { scope: "col" }, title)))), h("tbody", {}, lines.map((line) => h("tr", {}, cells(line))))));
}

window.addEventListener("beforeprint", printRows);
window.addEventListener("afterprint", () => byId("printed").remove());

// A text that a spreadsheet would take for a formula gets an apostrophe, as its own export does.
function csvCell(value) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv({ columns, rows: lines }) {
  return [columns.map(({ name }) => name), ...lines].map((line) => line.map(csvCell).join(",")).join("\n") + "\n";
}

const escaped = (text) => text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, "")
  .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function sheetCell(value, style) {
  if (value === null || value === undefined || value === "") return "<c/>";
  if (typeof value === "number") return `<c><v>${value}</v></c>`;
  return `<c t="inlineStr"${style ? ` s="${style}"` : ""}><is><t xml:space="preserve">${escaped(String(value))}</t></is></c>`;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml";

// The letters of a column of a sheet: 1 is A, 27 is AA.
const letters = (place) => (place > 26 ? letters(Math.floor((place - 1) / 26)) : "") + String.fromCharCode(65 + ((place - 1) % 26));

// The parts of a workbook with one sheet: bold heads in a frozen row, filter arrows, numbers as numbers.
function workbookParts({ columns, rows: lines }) {
  const heads = columns.map((column) => sheetCell(column.unit && column.kind !== "share" ? `${column.title} (${column.unit})` : column.title, 1));
  const body = lines.map((line) => `<row>${line.map((value) => sheetCell(value)).join("")}</row>`);
  const widths = columns.map((column, place) => `<col min="${place + 1}" max="${place + 1}" width="${place < 2 ? 24 : 16}" customWidth="1"/>`);
  return {
    "[Content_Types].xml": `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/></Types>`,
    "_rels/.rels": `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `${XML}<workbook xmlns="${SHEETS}" xmlns:r="${OFFICE}"><sheets><sheet name="Models" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${XML}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": `${XML}<styleSheet xmlns="${SHEETS}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
    "xl/worksheets/sheet1.xml": `${XML}<worksheet xmlns="${SHEETS}"><sheetViews><sheetView workbookViewId="0"><pane xSplit="2" ySplit="1" topLeftCell="C2" activePane="bottomRight" state="frozen"/></sheetView></sheetViews><cols>${widths.join("")}</cols><sheetData><row>${heads.join("")}</row>${body.join("")}</sheetData><autoFilter ref="A1:${letters(columns.length)}${lines.length + 1}"/></worksheet>`,
  };
}

const CHECKSUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = CHECKSUMS[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

// The fields that a local head and the directory of a ZIP share (PKWARE APPNOTE 4.3.7): stored, 1 January 1980.
function zipFields(name, content) {
  const view = new DataView(new ArrayBuffer(26));
  [20, 0x800, 0, 0, 33].forEach((value, place) => view.setUint16(place * 2, value, true));
  [checksum(content), content.length, content.length].forEach((value, place) => view.setUint32(10 + place * 4, value, true));
  view.setUint16(22, name.length, true);
  return new Uint8Array(view.buffer);
}

const little = (...numbers) => numbers.flatMap(([value, n]) => Array.from({ length: n }, (_, place) => (value / 256 ** place) & 255));

function zip(parts) {
  const encoder = new TextEncoder();
  const [pieces, directory] = [[], []];
  let offset = 0;
  for (const [path, text] of Object.entries(parts)) {
    const [name, content] = [encoder.encode(path), encoder.encode(text)];
    const fields = zipFields(name, content);
    directory.push(...little([0x02014b50, 4], [20, 2]), ...fields, ...little([0, 10], [offset, 4]), ...name);
    pieces.push(Uint8Array.from(little([0x04034b50, 4])), fields, name, content);
    offset += 30 + name.length + content.length;
  }
  const n = Object.keys(parts).length;
  return new Blob([...pieces, Uint8Array.from([...directory, ...little([0x06054b50, 4], [0, 4], [n, 2], [n, 2], [directory.length, 4], [offset, 4], [0, 2])])]);
}

function exportCsv() {
  download("models.csv", csv(shownTable()), "text/csv");
}

function exportXlsx() {
  download("models.xlsx", zip(workbookParts(shownTable())), `${TYPES}.sheet`);
}
