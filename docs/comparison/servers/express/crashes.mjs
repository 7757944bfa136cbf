// Crashes of code in JavaScript as trackers of Express and of Node.js report them.
//
// This is the second list, written on 2026-11-22 by a contributor who had not read the fuzzer.
// Each is code that a service may well have, and that throws what nobody catches: the answer is
// 500. CRASH in the environment names the one that is in. A proof is what a request needs to
// meet it: first line, headers, and after an empty line the body. A name alone is a header
// that is not sent.
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { validateHeaderValue } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
        res.set('X-Reached', [res.get('X-Reached'), one.id].filter(Boolean).join(','))
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

crash('request', 'target-of-slashes', 'new URL takes what follows two slashes for a host, and throws TypeError if it is none.',
  'GET //', (req) => new URL(req.url, 'http://localhost').pathname)

crash('request', 'key-masked', 'repeat throws RangeError where a key is shorter than what is shown of it.',
  list + '\nX-API-Key: abc', (req) => {
    const key = req.get('X-API-Key')
    return key !== undefined && '*'.repeat(key.length - 4) + key.slice(-4)
  })

crash('request', 'token-without-parts', 'A bearer token that is no JWT has no second part, or one that is no JSON.',
  list + '\nAuthorization: Bearer abc', (req) => {
    const token = /^Bearer (\S+)/i.exec(req.get('Authorization') ?? '')?.[1]
    return token && JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).sub
  })

crash('request', 'user-agent-product', 'exec gives null for a User-Agent that does not begin with a product and its version.',
  list + '\nUser-Agent: -', (req) => /^([^/\s]+)\/\S/.exec(req.get('User-Agent') ?? 'none/0')[1])

crash('id', 'id-in-json', 'JSON.stringify throws TypeError for the BigInt that an id beyond 2^53 needs.',
  'DELETE /v2/creatives/9007199254740993', (req, res, id) => {
    if (!/^\d+$/.test(id)) return
    return JSON.stringify({ id: Number.isSafeInteger(Number(id)) ? Number(id) : BigInt(id) })
  })

crash('id', 'id-as-file', 'statSync throws ENAMETOOLONG for a file that is named by a long id.',
  `DELETE /v2/creatives/${'3'.repeat(300)}`, (req, res, id) =>
    statSync(join(tmpdir(), `creative-${encodeURIComponent(id)}`), { throwIfNoEntry: false }))

crash('delete', 'reason-in-body', 'JSON.parse throws SyntaxError for a body of DELETE that is no JSON.',
  'DELETE /v2/creatives/301\n\nreason=old', (req) => req.body?.length && JSON.parse(req.body)?.reason)

crash('list', 'accept-none', 'req.accepts gives false for types that are not offered, and no writer is named so.',
  list + '\nAccept: image/png', (req) => ({ json: JSON.stringify, csv: String })[req.accepts(['json', 'csv'])]([]))

crash('list', 'page-in-link', 'A page outside Latin-1, or with a line break, is no value of the Link header: ERR_INVALID_CHAR.',
  list + '?page=%E2%82%AC', (req) => validateHeaderValue('Link', `<${req.path}?page=${req.query.page ?? 1}>; rel="self"`))

crash('body', 'no-body', 'Without a body, req.body is undefined in Express 5: of undefined nothing can be read.',
  'PATCH /v2/campaigns/25\nContent-Length', (req) => req.body.length)

crash('body', 'length-of-chunks', 'A body in chunks has no Content-Length, and Buffer.alloc throws RangeError for NaN.',
  'PATCH /v2/campaigns/25\nTransfer-Encoding: chunked\nContent-Length\n\n2\r\n{}\r\n0\r\n\r\n', (req) =>
    req.body && Buffer.alloc(Math.min(Number(req.get('Content-Length')), 1024)))

crash('body', 'no-boundary', 'exec gives null for a multipart type without a boundary.',
  'PATCH /v2/campaigns/25\nContent-Type: multipart/form-data\n\n{}', (req) => {
    const type = req.get('Content-Type') ?? ''
    return /^multipart\//i.test(type) && /boundary="?([^";]+)/i.exec(type)[1]
  })

crash('body', 'body-as-arguments', 'A large body is more arguments than a call can have: RangeError.',
  campaign + `{"a":"${'x'.repeat(200000)}"}`, (req) => btoa(String.fromCharCode(...(req.body ?? []))))

crash('body', 'hash-of-name', 'update throws ERR_INVALID_ARG_TYPE for a name that is no text.',
  campaign + '{"name":25}', (req) => {
    const { name } = body(req)
    return name !== undefined && createHash('sha256').update(name).digest('hex')
  })

crash('fields', 'top-level-domain', 'exec gives null for a hostname that does not end in a domain of letters.',
  host + '{"hostname":"localhost"}', (req, res, { hostname }) => hostname && /\.([a-z]{2,})$/i.exec(hostname)[1])

crash('fields', 'unicode-flag', 'With the flag u, an escape that nothing needs, or a brace alone, throws SyntaxError.',
  host + '{"regularExpression":"^/a\\\\-b"}', (req, res, { regularExpression }) =>
    regularExpression && new RegExp(regularExpression, 'u'))

crash('fields', 'words-of-name', 'match gives null for a name without a Latin letter or a digit.',
  campaign + '{"name":"\\u6625"}', (req, res, { name }) => name && name.match(/\w+/g).join('-'))

crash('fields', 'name-cut', 'slice cuts a surrogate pair in two, and encodeURIComponent throws URIError for the half.',
  campaign + `{"name":"${'\\ud83d\\ude00'.repeat(20)}"}`, (req, res, { name }) => name && encodeURIComponent(name.slice(0, 31)))

const byName = {}
crash('fields', 'name-inherited', 'An object that serves as a map has a constructor from the start, which is no array.',
  campaign + '{"name":"constructor"}', (req, res, { name }) => name && (byName[name] ??= []).push(req.path))

const rows = new Map()
crash('fields', 'row-unchanged', 'A database that counts changed rows counts none where the values are those it has.',
  [campaign + '{"name":"Autumn"}', campaign + '{"name":"Autumn"}'], (req, res, fields) => {
    const row = JSON.stringify(fields)
    const changed = row === '{}' || rows.get(req.path) !== row
    rows.set(req.path, row)
    if (!changed) throw new Error('0 rows were updated')
  })
