// A real mail server for the stories, with STARTTLS and a log-in. It reports events on its output. Its input sets its
// behaviour: `take`, `silent`, the number with which it refuses recipients, a step and a number such as `sender 550`
// (steps: greeting, sender, recipient, text), `dotted`: it greets only names with a dot, or `ascii`: it accepts only
// addresses in ASCII.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const web = createRequire(new URL('../../web/package.json', import.meta.url))
const { SMTPServer } = web('smtp-server')
const { SMTPConnection } = web(new URL('../../web/node_modules/smtp-server/dist/cjs/smtp-connection.js', import.meta.url).pathname)
const settings = JSON.parse(process.argv[2])
let mood = settings.mood

const says = (what) => process.stdout.write(JSON.stringify(what) + '\n')
const refusal = (code) => Object.assign(new Error('not now, <somebody@example.org>'), { responseCode: Number(code) })
/** Returns the refusal of a step, if this is its turn. */
const refuses = (step) => {
  const [name, code] = mood.split(' ')
  return name === step && code !== undefined ? refusal(code) : undefined
}

// The library has no option to refuse a name.
const greet = SMTPConnection.prototype.handler_EHLO
SMTPConnection.prototype.handler_EHLO = function (command, done) {
  const name = command.toString().trim().split(/\s+/)[1]
  says({ event: 'hello', name })
  if (mood !== 'dotted' || name.includes('.')) return greet.call(this, command, done)
  this.send(504, `5.5.2 <${name}>: Helo command rejected: need fully-qualified hostname`, false)
  done()
}

const server = new SMTPServer({
  banner: 'a mail server of a story',
  disableReverseLookup: true,
  authMethods: ['PLAIN', 'LOGIN'],
  authOptional: !settings.login,
  hideSTARTTLS: !settings.cert,
  hideSMTPUTF8: mood === 'ascii',
  secure: settings.wrapped,
  ...(settings.cert && { cert: readFileSync(settings.cert), key: readFileSync(settings.key) }),
  disabledCommands: settings.login ? [] : ['AUTH'],
  onConnect(session, done) {
    says({ event: 'connect' })
    // A silent server sends no greeting.
    if (mood !== 'silent') done(refuses('greeting'))
  },
  onAuth({ username, password }, session, done) {
    says({ event: 'login', username, tls: session.secure })
    const { login } = settings
    if (username === login.name && password === login.password) done(null, { user: username })
    else done(new Error('another password'))
  },
  onMailFrom({ address }, session, done) {
    says({ event: 'sender', address })
    done(refuses('sender'))
  },
  onRcptTo({ address }, session, done) {
    says({ event: 'recipient', address, mood })
    done(/^\d+$/.test(mood) ? refusal(mood) : refuses('recipient'))
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
      done(refuses('text'))
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
