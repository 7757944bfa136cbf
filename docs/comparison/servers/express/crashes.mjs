// Crashes of code in JavaScript as trackers of Express and of Node.js report them.
//
// Written on 2026-11-22 by a contributor who had not read the fuzzer. Each is code that a
// service may well have, and that throws what nobody catches: the answer is 500. CRASH in
// the environment names the one that is in. A proof is what a request needs to meet it: first
// line, headers, and after an empty line the body.
const chosen = process.env.CRASH ?? ''
const crashes = []
const list = 'GET /v2/creatives/200/media-files'
const host = 'PATCH /v2/connection-profiles/12/rules/34/hosts/56\n\n'
const campaign = 'PATCH /v2/campaigns/25\n\n'

const crash = (stage, id, what, proof, run) => crashes.push({ stage, id, what, proof: [].concat(proof), run })

export function meet (stage, req, res, about) {
  for (const one of crashes) {
    if (one.stage !== stage) continue
    if (one.id === chosen) one.run(req, res, about)
    if (chosen === 'watch') {
      try {
        one.run(req, res, about)
      } catch {
        res.append('X-Reached', one.id)
      }
    }
  }
}

export const listed = () => crashes.map(({ id, what, proof }) => ({ id, what, proof }))

const body = (req) => {
  try {
    return Object(JSON.parse(req.body))
  } catch {
    return {}
  }
}

crash('request', 'query-escape', 'decodeURIComponent of the whole URL throws URIError for a percent sign without digits.',
  list + '?a=%zz', (req) => decodeURIComponent(req.originalUrl.split('?')[1] ?? ''))

crash('request', 'key-twice', 'Headers that come twice are an array in headersDistinct, which has no method of texts.',
  list + '\nX-API-Key: k\nX-API-Key: k', (req) => {
    const keys = req.headersDistinct['x-api-key'] ?? ['']
    const key = keys.length === 1 ? keys[0] : keys
    key.toLowerCase()
  })

crash('request', 'forwarded-host', 'new URL throws TypeError for an X-Forwarded-Host that is no host.',
  list + '\nX-Forwarded-Host: a b', (req) => new URL(`https://${req.get('X-Forwarded-Host') || 'ads.example.com'}/`))

crash('request', 'request-id-echo', 'An id of a request outside Latin-1 is no value of a header: ERR_INVALID_CHAR.',
  list + '\nX-Request-ID: \xe2\x82\xac', (req, res) => {
    if (chosen === 'watch' && !req.get('X-Request-ID')) return
    res.setHeader('X-Request-ID', Buffer.from(req.get('X-Request-ID') ?? '-', 'latin1').toString())
    if (chosen === 'watch') res.removeHeader('X-Request-ID')
  })

crash('request', 'method-table', 'A table of methods has no line for the rarer ones: of undefined nothing can be read.',
  'PROPFIND /v2/campaigns/25', (req) => {
    const limits = { GET: { n: 9 }, HEAD: { n: 9 }, POST: { n: 3 }, PUT: { n: 3 }, PATCH: { n: 3 }, DELETE: { n: 3 }, OPTIONS: { n: 9 } }
    return limits[req.method].n
  })

crash('request', 'language', 'Intl throws RangeError for a language that is no tag.',
  list + '\nAccept-Language: e', (req) => {
    const language = (req.get('Accept-Language') ?? 'en').split(',')[0].split(';')[0].trim()
    return new Intl.NumberFormat(language === '*' ? 'en' : language)
  })

crash('request', 'cookie-escape', 'decodeURIComponent throws URIError for a cookie with a percent sign.',
  list + '\nCookie: seen=%', (req) => (req.get('Cookie') ?? '').split(';').map((pair) => decodeURIComponent(pair)))

crash('request', 'accept-subtype', 'A type in Accept without a slash has no second part to look at.',
  list + '\nAccept: json', (req) => (req.get('Accept') || '*/*').split(',').map((type) => type.split('/')[1].split(';')[0]))

crash('id', 'id-bigint', 'isNaN() lets a fraction or an exponent pass, BigInt() throws SyntaxError.',
  'DELETE /v2/creatives/3e2', (req, res, id) => isNaN(id) || BigInt(id))

crash('id', 'id-decoded-twice', 'A second decodeURIComponent throws URIError for an id that still has a percent sign.',
  'DELETE /v2/creatives/301%25', (req, res, id) => decodeURIComponent(id))

crash('body', 'own-property', 'A member hasOwnProperty hides the inherited function of that name.',
  campaign + '{"hasOwnProperty":1}', (req) => {
    const fields = body(req)
    return ['name', 'hostname'].filter((field) => fields.hasOwnProperty(field))
  })

crash('body', 'charset', 'TextDecoder throws RangeError for a charset that it does not know.',
  'PATCH /v2/campaigns/25\nContent-Type: application/json; charset=utf-99\n\n{}', (req) => {
    const charset = /charset=["']?([^"';\s]+)/i.exec(req.get('Content-Type') ?? '')
    return new TextDecoder(charset?.[1] ?? 'utf-8')
  })

crash('body', 'half-pair', 'encodeURIComponent throws URIError for half a surrogate pair.',
  campaign + '{"name":"\\udc00"}', (req) => {
    const { name } = body(req)
    return typeof name === 'string' && encodeURIComponent(name)
  })

crash('body', 'null-document', 'A body of null has no members to read.',
  campaign + 'null', (req) => {
    let document = {}
    try {
      document = JSON.parse(req.body)
    } catch {}
    return document.name
  })

crash('fields', 'name-as-expression', 'A text that becomes a regular expression as it is throws SyntaxError.',
  campaign + '{"name":"Spring (video"}', (req, res, fields) => fields.name && new RegExp(fields.name))

crash('list', 'page-twice', 'A parameter that comes twice or with brackets is no text, and has no method of texts.',
  list + '?page=1&page=2', (req) => (req.query.page ?? '1').trim())

crash('list', 'date-header', 'toISOString throws RangeError for a date that is none.',
  list + '\nIf-Modified-Since: yesterday', (req) => req.get('If-Modified-Since') && new Date(req.get('If-Modified-Since')).toISOString())

crash('list', 'range-backwards', 'Buffer.alloc throws ERR_OUT_OF_RANGE for a range that runs backwards.',
  list + '\nRange: bytes=9-2', (req) => {
    const ends = /^bytes=(\d{1,6})-(\d{1,6})$/.exec(req.get('Range') ?? '')
    return ends && Buffer.alloc(Math.min(1 + Number(ends[2]) - Number(ends[1]), 1000))
  })

crash('list', 'page-size', 'new Array throws RangeError for a length that is negative, a fraction or too large.',
  list + '?limit=-1', (req) => {
    const size = req.query.limit ?? req.query.per_page ?? req.query.pageSize ?? req.query.size
    return typeof size === 'string' && new Array(Number(size) || 50)
  })

const files = new Map()
crash('delete', 'delete-twice', 'What was deleted is not in the cache any more: of undefined nothing can be read.',
  ['DELETE /v2/creatives/301', 'DELETE /v2/creatives/301'], (req, res, id) => {
    if (!files.has(id)) files.set(id, { open: [] })
    files.get(id).open.length = 0
    files.set(id, undefined)
  })

crash('body', 'host-parts', 'A hostname with an empty label has no first letter.',
  host + '{"hostname":"cdn..example.com"}', (req) => {
    const { hostname } = body(req)
    return typeof hostname === 'string' && hostname.split('.').map((label) => label[0].toLowerCase())
  })
