import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 12.1 and 12.4: browsers are guests, too. */
export const decisionsSignIn: readonly Requirement[] = [
  ...decision.built('12.1', {
    'session.open': 'Whoever shows a key or token is given a session.',
    'session.open.forms':
      'The credential comes in its header, in JSON, or in a form, which is led on by 303.',
    'session.open.any-scope': 'The routes of sessions are open to every credential, and to nothing else.',
    'session.open.charged':
      'A wrong credential is 401 and charged to its address, whatever form it comes in.',
    'session.tell': '`GET` says who one is, with which scopes, until when.',
    'session.without-authentication': 'Without authentication there are no sessions: 404, which says so.',
    'session.redirect.local': 'Nobody is led to another origin, however it is written.',
    'session.fixation': 'Each sign-in gives another session and ends the one that the browser had.',
    'session.cookie.half-day': 'A session lasts twelve hours at most.',
    'session.cookie.token-life': 'It never lasts longer than the token that opened it.',
    'session.cookie.no-credential': 'Its cookie holds nothing of the credential.',
    'session.cookie.name': 'Its cookie has a name of the application, since ports of a host share cookies.',
    'session.cookie.attributes': 'Its cookie is `HttpOnly`, `SameSite=Strict`, for `/`, `Secure` over https.',
    'session.cookie.https': 'Over https, as trusted proxies tell, only the name with `__Host-` counts.',
    'session.cookie.after-headers': 'It counts only where no other credential is shown.',
    'session.cookie.hidden': 'Handlers do not see it, and neither does the log.',
    'session.survives-restart': 'It is the same on every process and after a restart.',
    'session.ends-with-credential': 'It ends when its key or secret is another one or is declared no more.',
    'session.key.scopes-today': 'Of a key it has the scopes that are declared by then.',
    'session.forged': 'One that was changed, cut, or put together of others is refused.',
    'session.ended': 'Ended, it is refused from then on.',
    'session.ended.bounded': 'However many are ended, none comes back, and what is kept of them is bounded.',
    'session.ended.restart':
      'Where there is a database, the end of a session outlives the process that answered it.',
    'session.same-origin': 'It counts for requests of the same origin only; for others it is ignored.',
    'session.cors-does-not-count': 'It does not count for an origin that `cors` lists.',
    'session.sockets': 'It opens sockets for pages of the same origin, which close when it ends.',
    'session.forgery': 'Pages of other origins open and end no sessions.',
    'session.not-mcp': 'It is no way in over MCP.',
    'session.worthless': 'One that is worth nothing is nobody, and is taken back; it is no 401.',
    'session.page.user': 'A page sees who has signed in as `user`.',
  }),
  ...decision.built('12.4', {
    'face.html.errors': 'A browser that asks for HTML is shown a page for refusals and failures.',
    'face.html.others': 'Everybody else gets the problem document, byte for byte.',
    'face.html.preferred': 'Who likes JSON as much as HTML gets JSON.',
    'face.html.start':
      'An application without a route for `/` has a first page of what is there for whoever asks.',
    'face.html.escaped': 'Nothing that somebody sent is markup in it, or unseen.',
    'face.html.sign-in': 'It leads to the sign-in page, and that back to where one was.',
    'face.html.without-scripts': 'Its pages work without scripts, under a strict policy.',
    'face.html.looks': 'They can be used by everybody: light, dark, on a phone.',
  }),
];
