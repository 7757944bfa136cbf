// Records what page.html sends from headless Chromium:
//   node record.mjs BASE-URL OWNER-KEY STRANGER-KEY FILE.har
// The page is served on a port of its own, so that the API is of another origin
// and Chromium asks it first (OPTIONS).
import {once} from 'node:events'
import {readFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import {chromium} from 'playwright-core'

const [base, owner, stranger, file] = process.argv.slice(2)
const page = await readFile(new URL('page.html', import.meta.url))
const server = createServer((request, answer) => {
  answer.writeHead(request.url === '/' ? 200 : 404, {'Content-Type': 'text/html'})
  answer.end(request.url === '/' ? page : '')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const timeout = 120_000 // a ceiling, for machines that do much else

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM, timeout,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
try {
  const context = await browser.newContext({recordHar: {path: file, mode: 'full', content: 'embed'}})
  context.setDefaultTimeout(timeout)
  const tab = await context.newPage()
  tab.on('pageerror', error => { throw error })
  await tab.goto(`http://127.0.0.1:${server.address().port}/#${new URLSearchParams({base, owner, stranger})}`)
  await tab.waitForFunction(() => document.title === 'done')
  console.log(await tab.textContent('#log'))
  await context.close() // writes the file
} finally {
  await browser.close()
  server.close()
}
