import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 3.1 to 3.6: authentication and authority. */
export const decisionsAuthority: readonly Requirement[] = [
  ...decision.built('3.1', {
    'authority.key.from-variable': 'The secret of an API key is read from the variable it names.',
    'authority.key.hashed': 'Secrets are kept as SHA-256 and compared in constant time.',
    'authority.key.unset': 'An unset key keeps the server from starting: exit code 78.',
    'authority.key.short': 'A key under 16 bytes keeps the server from starting: exit code 78.',
    'authority.key.help': 'That refusal shows the `waymark keygen` line that helps.',
    'authority.key.not-bearer':
      'An API key sent as Bearer token is not accepted, unless its declaration says so.',
    'authority.key.bearer': 'A key that is declared with `bearer: true` is accepted as Bearer token, too.',
    'authority.challenge.key':
      'Where no tokens are taken a 401 asks for `ApiKey`, so that no client begins an OAuth discovery.',
  }),
  ...decision.built('3.2', {
    'authority.jwt.bearer': 'A JWT is sent as `Authorization: Bearer`.',
    'authority.jwt.pinned': 'A token with another algorithm than the declared one is refused.',
    'authority.jwt.algorithms': 'HS256, HS384, HS512, RS256, RS384 and RS512 can be declared.',
    'authority.jwt.pem': 'For the RS algorithms the variable holds the PEM.',
    'authority.jwt.secret-length': 'An HMAC secret has 32 bytes or more.',
    'authority.jwt.issuer':
      'Without a secret, tokens are verified with the keys that their issuer publishes.',
    'authority.jwt.issuer.discovery': 'Metadata of RFC 8414 or of OpenID Connect lead to those keys.',
    'authority.jwt.issuer.exact':
      'The issuer of a token, and that of the metadata, is the declared one to the letter.',
    'authority.jwt.issuer.algorithms':
      'Such tokens are signed with RSA, ES256 or EdDSA, never with an HMAC or nothing.',
    'authority.jwt.issuer.audience': 'They are for the declared audience, or else for the MCP endpoint.',
    'authority.jwt.issuer.kid': 'The key of a token is chosen by its `kid`, among those of its issuer.',
    'authority.jwt.issuer.unfit-keys':
      'Keys for something else, keys published with their private part, and secrets verify nothing.',
    'authority.jwt.issuer.cached': 'Keys are kept, and read once for everybody who waits for them.',
    'authority.jwt.issuer.rotated': 'They are read anew as they age, and a token ends with its key.',
    'authority.jwt.issuer.unknown-kid': 'An unknown `kid` has them read again, once a minute at most.',
    'authority.jwt.issuer.unreadable':
      'A token whose issuer cannot be asked for its keys is 503 with `Retry-After`, not 401.',
    'authority.jwt.issuer.bounded':
      'Size, number, time and address of what an issuer publishes are bounded, and nobody else waits for it.',
    'authority.jwt.issuer.boot':
      'An issuer that is no URL, tokens for nobody and an HMAC without secret fail the boot.',
    'authority.jwt.prefix':
      'The subjects of a declaration are named behind its `subjectPrefix`, and no other issuer can name them.',
    'authority.jwt.prefix.boot':
      'Several issuers have several prefixes, or say that they know the same people; a prefix makes no id of the service.',
    'authority.jwt.exp-sub': 'A token has `exp` and `sub`.',
    'authority.jwt.nbf': 'A token is refused before its `nbf`.',
    'authority.jwt.audience-issuer': 'A declared audience and issuer are enforced.',
    'authority.jwt.scopes': 'The scopes of a token are those of `scope` and `scopes` together.',
    'authority.jwt.scopes-typed': 'Scope claims of another type give no scopes.',
    'authority.identity.sub-collision': 'A `sub` equal to the id of an API key or to `anonymous` is refused.',
    'authority.identity.unclear':
      'A `sub` or key id that cannot be told from another by its looks is refused, and the log says why.',
    'authority.identity.reserved':
      'A `sub` or key id that begins `agent:`, `behaviour:`, `flow:` or `watcher:` is refused.',
    'authority.access-token.removed': '`access_token` is gone from the query when input is bound.',
    'authority.access-token.either': '`access_token` on an upgrade may be a key or a JWT.',
  }),
  ...decision.built('3.3', {
    'authority.wrong-credential': 'A wrong credential is 401, on public routes too.',
    'authority.wrong-credential.health': 'Health answers in spite of a wrong credential.',
    'authority.anonymous': 'A caller without credentials has the id `anonymous` and is not authenticated.',
    'authority.anonymous.scopes': 'It has the scopes declared with `anonymousScopes`.',
  }),
  ...decision.built('3.4', {
    'authority.scopes.equality': 'A scope matches only the very same scope; there are no wildcards.',
    'authority.scopes.all': 'Of several scopes all are needed.',
    'authority.matrix':
      'Each route is reached by exactly those whose scopes suffice: by request, by upgrade and over MCP.',
  }),
  ...decision.built('3.5', {
    'authority.narrow.only-shrinks': 'Narrowing a principal never adds a scope.',
    'authority.narrow.root-id': 'Narrowing a principal keeps its root id.',
  }),
  ...decision.built('3.5', {
    'authority.run.intersection': 'A run has the scopes that its agent and its caller share.',
    'authority.run.handoff': 'A handoff intersects once more.',
    'authority.run.nested': 'A nested call starts from the scopes of the run that makes it.',
    'authority.run.empty': 'A run with no scopes may do nothing, and the tool error says why.',
    'authority.run.root-id': '`root_id` names who began the chain, at every depth of it.',
  }),
  ...decision.built('3.5', {
    'authority.expose.none': 'For agents, behaviours and flows alike `expose_scopes` falls back on `scopes`.',
    'authority.expose.anonymous-warning':
      'What anonymous callers can start is warned about at boot and in `security`.',
    'authority.expose.public': 'In production that must be acknowledged by `public: true`.',
  }),
  ...decision.built('3.6', {
    'authority.control.configured': 'One declared API key is enough to count as configured.',
    'authority.control.configured-jwt': 'One declared JWT is enough to count as configured.',
    'authority.control.admin':
      'Then everything below the prefix but health asks for `svc:admin`, MCP included.',
    'authority.control.loopback': 'With none configured, only loopback peers reach the control plane.',
    'authority.control.forwarded':
      'Nor does whoever comes through a proxy of this machine that names somebody elsewhere, or nobody.',
    'authority.control.forwarded-here': 'A proxy of this machine that names loopback callers alone goes on.',
    'authority.control.forwarded-code': 'Codes to sign in with are given to and taken from the same callers.',
    'authority.control.loopback-says': 'The 403 for others says what to configure.',
    'authority.control.bind': 'With none configured, binding another address keeps the server from starting.',
    'authority.control.allow-unauthenticated': '`allowUnauthenticated: true` lets it start all the same.',
    'authority.control.allowed-host': 'With none configured, loopback peers need an allowed Host as well.',
    'authority.control.mcp-scopes': '`mcpScopes` replaces `svc:admin` for MCP and the tool listing.',
    'authority.control.mcp-scopes.default': '`mcpScopes` is `svc:admin` by default.',
    'authority.control.mcp-scopes.no-approvals': 'A key let in by `mcpScopes` cannot decide approvals.',
  }),
];
