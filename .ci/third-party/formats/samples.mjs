// For each format a small valid file and defects, each of which its reader has
// to see: what it has to say, and a change of the file.
const json = value => JSON.stringify(value, null, 1);
const edit = change => text => {
  const value = JSON.parse(text);
  change(value);
  return json(value);
};
const swap = (from, to) => text => {
  if (!text.includes(from)) throw new Error(`the sample has no ${from}`);
  return text.replace(from, () => to);
};

const cutOff = [/./, text => text.slice(0, text.length / 2)];

export const samples = {
  // The report itself is a fresh one: see samples.test.mjs.
  'report.json': {
    defects: {
      'cut off': cutOff,
      'a verdict that there is not': [/verdict/, edit(r => (r.verdict = 'maybe'))],
      'no exit code': [/exitCode/, edit(r => delete r.exitCode)],
      'an unknown member': [/extra/, edit(r => (r.extra = 1))],
      'a start that is no time': [/started/, edit(r => (r.started = 'now'))],
    },
  },

  'junit.xml': {
    valid: `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="adconform" tests="3" failures="1" errors="0" skipped="1" time="0.2">
  <testsuite name="updateCampaign" tests="3" failures="1" errors="0" skipped="1" time="0.2" timestamp="2026-01-01T00:00:00Z">
    <properties><property name="suite" value="adconform"></property></properties>
    <testcase name="a" classname="updateCampaign" time="0.1"><properties><property name="clause" value="ERR-1"></property></properties></testcase>
    <testcase name="b" classname="updateCampaign" time="0.1"><failure message="status 500" type="violation">expected 404</failure></testcase>
    <testcase name="c" classname="updateCampaign" time="0"><skipped message="no key"></skipped></testcase>
  </testsuite>
</testsuites>
`,
    defects: {
      'cut off': cutOff,
      'a control character': [/PCDATA|Char/, swap('expected 404', 'expected \u0001')],
      'a failure outside of a test case': [/failure/, swap('</testsuite>', '<failure></failure></testsuite>')],
      'no name': [/name/, swap('<testcase name="a"', '<testcase')],
      'a wrong count in the suite': [/testsuite updateCampaign: failures/, swap('tests="3" failures="1" errors="0" skipped="1" time="0.2" timestamp', 'tests="3" failures="0" errors="0" skipped="1" time="0.2" timestamp')],
      'a wrong count of the whole': [/testsuites: tests/, swap('name="adconform" tests="3"', 'name="adconform" tests="4"')],
      'the same case twice': [/more than once/, swap('name="b"', 'name="a"')],
    },
  },

  'findings.sarif': {
    valid: json({
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [{
        tool: {driver: {
          name: 'adconform',
          semanticVersion: '1.0.0',
          informationUri: 'https://example.com/adconform',
          rules: [{
            id: 'ERR-10',
            name: 'RelatedField',
            shortDescription: {text: 'The issue names the field.'},
            fullDescription: {text: 'Where one field is wrong, the issue names it.'},
            helpUri: 'https://example.com/adconform',
          }],
        }},
        results: [{
          ruleId: 'ERR-10',
          ruleIndex: 0,
          level: 'error',
          message: {text: 'relatedField is null.'},
          locations: [{physicalLocation: {artifactLocation: {uri: 'spec/openapi.yaml'}, region: {startLine: 3}}}],
        }],
      }],
    }),
    defects: {
      'cut off': cutOff,
      'a level that there is not': [/level/, edit(s => (s.runs[0].results[0].level = 'fatal'))],
      'another version': [/version/, edit(s => (s.version = '2.0.0'))],
      'a result without a message': [/message/, edit(s => delete s.runs[0].results[0].message)],
      'a line 0': [/startLine/, edit(s => (s.runs[0].results[0].locations[0].physicalLocation.region.startLine = 0))],
      'an index of no rule (multitool)': [/ruleIndex|SARIF10/, edit(s => (s.runs[0].results[0].ruleIndex = 5))],
      'a tool without a version (multitool)': [/SARIF2005/, edit(s => delete s.runs[0].tool.driver.semanticVersion)],
    },
  },

  'traffic.har': {
    valid: json({
      log: {
        version: '1.2',
        creator: {name: 'adconform', version: '1.0.0'},
        entries: [{
          startedDateTime: '2026-01-01T00:00:00.000Z',
          time: 1.5,
          request: {
            method: 'PATCH', url: 'http://127.0.0.1:8080/v2/campaigns/25', httpVersion: 'HTTP/1.1', cookies: [],
            headers: [{name: 'Content-Type', value: 'application/json'}], queryString: [],
            postData: {mimeType: 'application/json', text: '{}'}, headersSize: -1, bodySize: 2,
          },
          response: {
            status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', cookies: [], headers: [],
            content: {size: 2, mimeType: 'application/json', text: '{}'}, redirectURL: '', headersSize: -1, bodySize: 2,
          },
          cache: {},
          timings: {send: 0, wait: 1.5, receive: 0},
        }],
      },
    }),
    defects: {
      'cut off': cutOff,
      'no creator': [/creator/, edit(h => delete h.log.creator)],
      'a status that is no number': [/status/, edit(h => (h.log.entries[0].response.status = '200'))],
      'a time that is none': [/startedDateTime/, edit(h => (h.log.entries[0].startedDateTime = 'now'))],
      'no timings': [/timings/, edit(h => delete h.log.entries[0].timings)],
      'a header without a value': [/headers/, edit(h => delete h.log.entries[0].request.headers[0].value)],
    },
  },

  'summary.md': {
    valid: '# NONCONFORMING\n\n| clause | got |\n|---|---|\n| ERR-10 | `<null>` \\<b\\> |\n\n- one `a\\|b`\n',
    defects: {
      'an element': [/raw HTML/, swap('\\<b\\>', '<b>')],
      'a block': [/raw HTML/, text => text + '\n<script>alert(1)</script>\n'],
      'a comment': [/raw HTML/, text => text + '\n<!-- x -->\n'],
      'an image': [/image/, text => text + '\n![x](https://example.com/x.png)\n'],
      'a broken table': [/outside of a table/, swap('|---|---|', '|---|')],
      'no heading': [/heading/, swap('# NON', 'NON')],
    },
  },

  'report.html': {
    valid: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>adconform</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"></head>
<body><h1>NONCONFORMING</h1><p>expected &lt;b&gt; <a href="#f1">finding</a></p></body></html>
`,
    defects: {
      'an element left open': [/./, swap('</p>', '</div>')],
      'an attribute twice': [/duplicate/, swap('<p>', '<p id="a" id="b">')],
      'no doctype': [/doctype/, swap('<!doctype html>\n', '')],
      'a script from elsewhere': [/fetches/, swap('<h1>', '<script src="https://example.com/x.js"></script><h1>')],
      'a handler': [/handler/, swap('<h1>', '<h1 onclick="x()">')],
      'a link that runs a script': [/script/, swap('#f1', 'javascript:x()')],
      'no policy': [/Content-Security-Policy/, swap("default-src 'none'", "default-src 'self'")],
      'no title': [/title/, swap('<title>adconform</title>', '<title></title>')],
    },
  },
};
