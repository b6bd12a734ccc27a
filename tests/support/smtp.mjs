// A real mail server for the stories, with STARTTLS and a log-in. It reports events on its output. Its input sets its
// behaviour: `take`, `silent`, or the number with which it refuses recipients.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const { SMTPServer } = createRequire(new URL('../../web/package.json', import.meta.url))('smtp-server')
const settings = JSON.parse(process.argv[2])
let mood = settings.mood

const says = (what) => process.stdout.write(JSON.stringify(what) + '\n')
const refusal = (code) => Object.assign(new Error('not now, <somebody@example.org>'), { responseCode: code })

const server = new SMTPServer({
  banner: 'a mail server of a story',
  disableReverseLookup: true,
  authMethods: ['PLAIN', 'LOGIN'],
  authOptional: !settings.login,
  hideSTARTTLS: !settings.cert,
  secure: settings.wrapped,
  ...(settings.cert && { cert: readFileSync(settings.cert), key: readFileSync(settings.key) }),
  disabledCommands: settings.login ? [] : ['AUTH'],
  onConnect(session, done) {
    says({ event: 'connect' })
    // A silent server sends no greeting.
    if (mood !== 'silent') done()
  },
  onAuth({ username, password }, session, done) {
    says({ event: 'login', username, tls: session.secure })
    const { login } = settings
    if (username === login.name && password === login.password) done(null, { user: username })
    else done(new Error('another password'))
  },
  onRcptTo({ address }, session, done) {
    says({ event: 'recipient', address, mood })
    if (mood === 'take') done()
    else done(refusal(Number(mood)))
  },
  onData(stream, session, done) {
    const pieces = []
    stream.on('data', (piece) => pieces.push(piece))
    stream.on('end', () => {
      const { mailFrom, rcptTo } = session.envelope
      says({
        event: 'mail',
        tls: session.secure,
        user: session.user ?? null,
        from: mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        raw: Buffer.concat(pieces).toString('utf8'),
      })
      done()
    })
  },
})
server.on('error', (why) => says({ event: 'error', why: String(why.message) }))
server.listen(settings.port, '127.0.0.1', () => says({ event: 'listening', port: server.server.address().port }))
const orders = createInterface({ input: process.stdin })
orders.on('line', (line) => {
  mood = line
  says({ event: 'mood', mood })
})
// The test has ended.
orders.on('close', () => process.exit(0))
