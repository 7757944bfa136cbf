// The five operations in Express.
//
//   node server.mjs              serves on a free port, and prints its URL
//   CRASH=ID node server.mjs     with one of the crashes of crashes.mjs
//   CRASH=watch node server.mjs  without any; X-Reached says which of them a request meets
//   node server.mjs list         the crashes as JSON
import { readFileSync, writeFileSync } from 'node:fs'
import express from 'express'
import { listed, meet } from './crashes.mjs'

if (process.argv[2] === 'list') {
  writeFileSync(1, JSON.stringify(listed())) // process.exit does not wait for console.log
  process.exit()
}
const born = '2024-01-10T10:44:00Z'
const world = JSON.parse(readFileSync(new URL('../world.json', import.meta.url)))
const byId = (kind, more) => new Map(world[kind].map((one) => [one.id, { createdAt: born, ...more, ...one }]))
const profiles = byId('profiles', { updatedAt: null })
const rules = byId('rules')
const hosts = byId('hosts', { updatedAt: null })
const campaigns = byId('campaigns', { updatedAt: born, shareURL: 'https://ads.example.com/c' })
const media = new Map()
for (const group of world.creatives) {
  for (let id = group.from; id <= group.to; id++) {
    media.set(id, {
      user: group.user, id, campaignId: 25, name: `creative ${id}`, createdAt: born, updatedAt: born, parentId: group.parent,
      sourceType: group.type, sourceTypeLabel: group.type, shareURL: `https://ads.example.com/s/${id}`,
      livePreviewURL: `https://ads.example.com/p/${id}`, previewAnimationURL: null, width: 300, height: 250, userId: 41,
      nbVariations: 0, nbMediaFiles: null, latestScanStatus: { processingStatus: 'finished' }
    })
  }
}

class Refused extends Error {
  constructor (status, message, field = null) {
    super(message)
    Object.assign(this, { status, field })
  }
}
const app = express()
app.set('query parser', 'extended')
app.set('case sensitive routing', true)
app.set('strict routing', true)
app.set('etag', false)
app.disable('x-powered-by')
app.use((req, res, next) => {
  meet('request', req, res)
  req.user = Object.hasOwn(world.keys, req.get('X-API-Key') ?? '') ? world.keys[req.get('X-API-Key')] : null
  if (req.user === null) throw new Refused(401, 'No such key')
  next()
})
app.use(express.raw({ type: () => true, limit: '20mb', inflate: false }))

const found = (where, text, req, res) => {
  meet('id', req, res, text)
  const one = /^[1-9][0-9]{0,14}$/.test(text) && where.get(Number(text))
  if (!one) throw new Refused(404, 'Not found')
  return one
}
const own = (where, text, req, res) => {
  const one = found(where, text, req, res)
  if (one.user !== req.user) throw new Refused(403, 'Not yours')
  return one
}
const shown = ({ user, parent, ...rest }) => rest
const clean = (value) => !/[\u0000-\u001f\u007f-\u009f]/.test(value) && value.isWellFormed()
const name = (value) => value.trim() !== '' && value.length <= 255
const action = (value) => ['pass', 'warn', 'fail'].includes(value)
const hostname = (value) => value.length <= 253 && /^(?!-)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*$/.test(value)
const expression = (value) => {
  try {
    return value === null || Boolean(new RegExp(value))
  } catch {
    return false
  }
}

function update (one, fields, req, res) {
  meet('body', req, res)
  let body
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(req.body ?? Buffer.alloc(0)))
  } catch {
    throw new Refused(422, 'The body is not JSON')
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw new Refused(422, 'The body is no object')
  const taken = {}
  for (const [field, good] of Object.entries(fields)) {
    if (!Object.hasOwn(body, field)) continue
    const value = body[field]
    const text = typeof value === 'string' && clean(value)
    if (!text && !(value === null && good === expression)) throw new Refused(422, `${field} is no text`, field)
    if (!good(value)) throw new Refused(422, `${field} is wrong`, field)
    taken[field] = value
  }
  meet('fields', req, res, taken)
  Object.assign(one, taken, { updatedAt: new Date().toISOString() })
  res.json({ data: shown(one) })
}

app.patch('/v2/connection-profiles/:profile', (req, res) => {
  update(own(profiles, req.params.profile, req, res), { name, withoutCookiesAction: action, withCookiesAction: action }, req, res)
})
app.patch('/v2/connection-profiles/:profile/rules/:rule/hosts/:host', (req, res) => {
  const profile = found(profiles, req.params.profile, req, res)
  const rule = found(rules, req.params.rule, req, res)
  const host = found(hosts, req.params.host, req, res)
  if (rule.parent !== profile.id || host.parent !== rule.id) throw new Refused(404, 'Not found')
  own(profiles, req.params.profile, req, res)
  update(host, { hostname, regularExpression: expression }, req, res)
})
app.patch('/v2/campaigns/:campaign', (req, res) => update(own(campaigns, req.params.campaign, req, res), { name }, req, res))
app.delete('/v2/creatives/:creative', (req, res) => {
  meet('delete', req, res, media)
  const { id } = own(media, req.params.creative, req, res)
  for (const child of [...media.values()]) if (child.parentId === id) media.delete(child.id)
  media.delete(id)
  res.status(204).end()
})
app.get('/v2/creatives/:creative/media-files', (req, res) => {
  const one = own(media, req.params.creative, req, res)
  if (one.sourceType !== 'vast-variation') throw new Refused(422, 'No VAST creative')
  const files = [...media.values()].filter((file) => file.parentId === one.id)
  meet('list', req, res, files)
  const text = req.query.page // an object or an array where the query has brackets
  const page = typeof text === 'string' && /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 1
  const data = files.slice(50 * (page - 1), 50 * page).map(shown)
  const totalPages = Math.max(1, Math.ceil(files.length / 50))
  res.json({ meta: { pagination: { count: data.length, totalCount: files.length, page, totalPages } }, data })
})
app.use(() => { throw new Refused(404, 'Not found') })
app.use((err, req, res, next) => {
  // Express gives what it refuses itself a status: a path that cannot be decoded, a body that is too large.
  const status = err instanceof Refused || err.expose ? err.status : err instanceof URIError && err.status === 400 ? 404 : 500
  const message = status === 500 ? 'Internal error' : err.message || 'Refused'
  const issue = { type: `error${status}`, message, relatedField: err.field ?? null }
  res.status(status).json({ error: { responseCode: status, issues: [issue] } })
})
const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
