// Crashes of code in JavaScript as trackers of Express and of Node.js report them.
//
// This is the third list, written on 2026-11-23 by a contributor who had not read the fuzzer.
// Each is code that a service may well have, and that throws what nobody catches: the answer is
// 500. CRASH in the environment names the one that is in. A proof is what a request needs to
// meet it: first line, headers, and after an empty line the body. A name alone is a header
// that is not sent.
import { timingSafeEqual } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { MIMEType } from 'node:util'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

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

crash('request', 'key-compared', 'timingSafeEqual throws RangeError for a key of another length.',
  list + '\nX-API-Key: wrong', (req) => {
    const key = req.get('X-API-Key')
    return key !== undefined && timingSafeEqual(Buffer.from(key), Buffer.from('k9Owner7QmZx4Tr2Lp8'))
  })

crash('request', 'language-as-locale', 'Intl throws RangeError for a language that is no BCP 47 tag, as those with an underscore.',
  list + '\nAccept-Language: en_US', (req) => {
    const [language] = req.acceptsLanguages()
    return language !== '*' && new Intl.NumberFormat(language).format(1)
  })

crash('request', 'cookie-decoded', 'decodeURIComponent throws URIError for a percent sign in a cookie that no code follows.',
  list + '\nCookie: seen=100%', (req) => (req.get('Cookie') ?? '').split(';').map(decodeURIComponent))

crash('request', 'referer-relative', 'new URL throws TypeError for a Referer that is no complete URL.',
  list + '\nReferer: /creatives', (req) => {
    const referer = req.get('Referer')
    return referer !== undefined && new URL(referer).hostname
  })

crash('request', 'preflight-of-nothing', 'OPTIONS is not always a preflight, which says what method is to come.',
  'OPTIONS /v2/campaigns/25', (req) => req.method === 'OPTIONS' && req.get('Access-Control-Request-Method').toUpperCase())

crash('request', 'method-overridden', 'A method in X-HTTP-Method-Override that no operation has has no name in the log.',
  'PATCH /v2/campaigns/25\nX-HTTP-Method-Override: PUT\n\n{}', (req) => {
    const method = req.get('X-HTTP-Method-Override') ?? req.method
    return method !== req.method && { GET: 'list', PATCH: 'update', DELETE: 'delete' }[method].padEnd(6)
  })

crash('request', 'coding-unknown', 'A coding that no decoder is there for, or more than one, is no function.',
  'PATCH /v2/campaigns/25\nContent-Encoding: zstd\n\n{}', (req) => {
    const decoders = { identity: () => new PassThrough(), gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }
    return decoders[req.get('Content-Encoding')?.toLowerCase() ?? 'identity']().destroy()
  })

crash('id', 'id-as-bigint', 'BigInt throws SyntaxError for an id that is no integer.',
  'DELETE /v2/creatives/latest', (req, res, id) => BigInt(id))

let parents
crash('delete', 'parent-gone', 'A media file is looked up in its parent, which an earlier request has deleted.',
  ['DELETE /v2/creatives/240', 'DELETE /v2/creatives/241'], (req, res, media) => {
    parents ??= new Map([...media.values()].map(({ id, parentId }) => [id, parentId]))
    const parent = parents.get(Number(req.params.creative))
    return parent && media.get(parent).nbMediaFiles
  })

crash('list', 'sort-by-field', 'Only texts have localeCompare: numbers do not, nor what a field that is not there gives.',
  list + '?sort=width', ({ query: { sort } }, res, files) =>
    sort !== undefined && [...files].sort((a, b) => a[sort].localeCompare(b[sort])))

crash('list', 'filter-as-json', 'JSON.parse throws SyntaxError for a filter that is no JSON.',
  list + '?filter=video', ({ query: { filter } }) => filter !== undefined && JSON.parse(filter))

crash('body', 'media-type', 'MIMEType throws ERR_INVALID_MIME_SYNTAX for a Content-Type without a slash.',
  'PATCH /v2/campaigns/25\nContent-Type: json\n\n{}', (req) => new MIMEType(req.get('Content-Type') ?? 'application/json').essence)

crash('body', 'form-without-field', 'get gives null for a field that a form does not have, or a body that is no form.',
  'PATCH /v2/campaigns/25\nContent-Type: application/x-www-form-urlencoded\n\n{}', (req) =>
    req.is('urlencoded') && new URLSearchParams(String(req.body)).get('name').trim())

crash('body', 'date-sent-back', 'toISOString throws RangeError for a date that is none.',
  campaign + '{"updatedAt":"yesterday"}', (req) => new Date(body(req).updatedAt ?? 0).toISOString())

crash('body', 'null-for-default', 'A default is for undefined only: a name that is null stays null, which has no length.',
  campaign + '{"name":null}', (req) => {
    const { name = '' } = body(req)
    return name.length > 255
  })

crash('body', 'hostname-in-url', 'new URL throws TypeError for a hostname with a space, or none.',
  host + '{"hostname":"cdn example.com"}', (req) => new URL(`https://${body(req).hostname ?? 'localhost'}/`).origin)

crash('fields', 'name-as-pattern', 'A name that is put into an expression as it is may be none: SyntaxError.',
  campaign + '{"name":"Spring (draft"}', (req, res, { name }) => name && new RegExp(`^${name}$`, 'i'))

crash('fields', 'name-in-base64', 'btoa throws InvalidCharacterError for a character outside Latin-1.',
  campaign + '{"name":"\\u6625"}', (req, res, { name }) => name && btoa(name))

crash('fields', 'name-in-json', 'A quote or a backslash in a name ends or breaks JSON that is put together by hand: SyntaxError.',
  campaign + '{"name":"15\\" screen"}', (req, res, { name }) => name && JSON.parse(`{"title":"${name}"}`))

crash('fields', 'group-without-part', 'A group that took no part in a match is undefined, which has no length.',
  host + '{"regularExpression":"^/pixel/(big)?"}', (req, res, { regularExpression }) =>
    regularExpression && new RegExp(regularExpression).exec('/pixel/1.gif')?.slice(1).map((group) => group.length))
