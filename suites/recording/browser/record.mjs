// Records what page.html sends from headless Chromium:
//   node record.mjs PORT BASE-URL OWNER-KEY STRANGER-KEY FILE.har
// PORT is where the page is served, so that the API is of another origin and
// Chromium asks it first (OPTIONS).
import {readFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import {chromium} from 'playwright-core'

const [port, base, owner, stranger, file] = process.argv.slice(2)
const page = await readFile(new URL('page.html', import.meta.url))
const server = createServer((request, answer) => {
  answer.writeHead(request.url === '/' ? 200 : 404, {'Content-Type': 'text/html'})
  answer.end(request.url === '/' ? page : '')
}).listen(port, '127.0.0.1')

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
try {
  const context = await browser.newContext({recordHar: {path: file, mode: 'full', content: 'embed'}})
  const tab = await context.newPage()
  tab.on('pageerror', error => { throw error })
  await tab.goto(`http://127.0.0.1:${port}/#${new URLSearchParams({base, owner, stranger})}`)
  await tab.waitForFunction(() => document.title === 'done')
  console.log(await tab.textContent('#log'))
  await context.close() // writes the file
} finally {
  await browser.close()
  server.close()
}
