/**
 * Factur-X 1.0 wants the metadata of a PDF to say that there is an e-invoice in it. Typst attaches the file, and has no
 * way to write metadata of one's own (typst #5667), so the words are put into the finished file. Metadata is a stream
 * that PDF/A keeps uncompressed; what moves behind it is found through the table of offsets, which is written anew.
 */

const NAMESPACE = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

const PROPERTIES = [
  { name: 'DocumentFileName', value: 'factur-x.xml', description: 'The name of the embedded XML document' },
  { name: 'DocumentType', value: 'INVOICE', description: 'The type of the hybrid document in capital letters' },
  { name: 'Version', value: '1.0', description: 'The actual version of the standard applying to the embedded XML' },
  { name: 'ConformanceLevel', value: 'EN 16931', description: 'The conformance level of the embedded XML document' },
] as const;

/** PDF/A admits properties of one's own only with a description of their schema (ISO 19005-3, 6.6.2.3.3). */
const SCHEMA = [
  '<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>',
  `<pdfaSchema:namespaceURI>${NAMESPACE}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>`,
  '<pdfaSchema:property><rdf:Seq>',
  ...PROPERTIES.map(
    ({ name, description }) =>
      `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>` +
      `<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`,
  ),
  '</rdf:Seq></pdfaSchema:property></rdf:li>',
].join('');

const DESCRIPTION = [
  `<rdf:Description rdf:about="" xmlns:fx="${NAMESPACE}">`,
  ...PROPERTIES.map(({ name, value }) => `<fx:${name}>${value}</fx:${name}>`),
  '</rdf:Description>',
].join('');

const METADATA = /<<\s*\/Length (\d+)\s*\/Type \/Metadata\s*\/Subtype \/XML\s*>>\s*stream\n/g;
const SCHEMAS_END = '</rdf:Bag></pdfaExtension:schemas>';
const METADATA_END = '</rdf:RDF>';

/** Replaces the last place of a text. @throws where it is not there: the file is not as Typst writes them. */
function replaceLast(text: string, from: string, to: string): string {
  const at = text.lastIndexOf(from);
  if (at === -1) throw new Error(`The file has no ${from}.`);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/** Says in the metadata of a PDF/A-3 that Typst wrote that it is a Factur-X invoice. @throws for another file. */
export function declareFacturX(pdf: Uint8Array): Uint8Array {
  const file = Buffer.from(pdf).toString('latin1'); // one character for each byte
  const metadata = [...file.matchAll(METADATA)].at(-1); // it is the last stream of all
  if (!metadata) throw new Error('The file has no metadata.');
  const [head, length] = metadata as unknown as [string, string];
  const start = metadata.index + head.length;
  const end = start + Number(length);
  const words = replaceLast(
    replaceLast(file.slice(start, end), SCHEMAS_END, SCHEMA + SCHEMAS_END),
    METADATA_END,
    DESCRIPTION + METADATA_END,
  );
  const changed = head.replace(length, String(words.length)) + words;
  const grown = changed.length - (end - metadata.index);
  const whole = file.slice(0, metadata.index) + changed + file.slice(end);
  return Buffer.from(moveOffsets(whole, start, grown), 'latin1');
}

/** Mends the table of offsets of a file of which all behind `from` has moved by `by` (ISO 32000-1, 7.5.4). */
function moveOffsets(file: string, from: number, by: number): string {
  const moved = (offset: string): number => Number(offset) + (Number(offset) > from ? by : 0);
  const at = file.lastIndexOf('\nxref\n');
  const table = file
    .slice(at)
    .replace(
      /^(\d{10}) (\d{5} n)/gm,
      (_, offset: string, tail: string) => `${String(moved(offset)).padStart(10, '0')} ${tail}`,
    )
    .replace(/(startxref\n)(\d+)/, (_, word: string, offset: string) => word + moved(offset));
  return file.slice(0, at) + table;
}
