import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decision 12.2, the live feed, and what pages of operators list besides. */
export const decisionsFeed: readonly Requirement[] = [
  ...decision.built('12.2', {
    'feed.members':
      'An event of the feed has a type, a kind, a time and an id; its name on the wire is its type.',
    'feed.types':
      'It is about a run, a step, an approval, a device, an insight, a webhook, or the rest of the audit log.',
    'feed.order':
      'What a run did is told in its order: its begin first, its steps by number, nothing after its end.',
    'feed.clocks':
      'Whatever clocks are set to, each step after `ready` is told once and none of before; or `missed` is told.',
    'feed.steps.small': 'A step is told without what its tool was given and gave.',
    'feed.long': 'An event longer than 8,192 characters is told by its size.',
    'feed.kinds':
      '`kinds` leaves everything out but the types and kinds it names; an unknown query name is 422.',
    'feed.admin': 'The feed needs `svc:admin`: 401 without a credential, 403 with less.',
    'feed.expires': 'The feed of a token ends with it.',
    'feed.places': 'A feed takes one of the places of its caller: beyond those it is 429.',
    'feed.keep-alive': 'A feed that has nothing to tell sends comments.',
    'feed.shutdown': 'When shutdown begins a feed ends with an error 503.',
    'feed.resume': 'Who comes back with `Last-Event-ID` is told what it has not seen, each event once.',
    'feed.resume.killed': 'That holds over the death of the server and another one on its database.',
    'feed.resume.bounded': 'At most the newest 1,000 are told again; `missed` says how many are not.',
    'feed.resume.unknown': 'Where the last event is not kept any more, or never was, `missed` says null.',
    'feed.resume.steps': 'Steps are told live alone: who comes back and wants them is told `missed`.',
    'feed.slow': 'A reader that is too slow is told how many it missed, exactly.',
    'feed.slow.bounded': 'A reader that does not read holds no more than a page and what its line takes.',
    'feed.crowd': 'A hundred readers hear the same, and the log is read once for all of them.',
    'feed.processes': 'Events of every process on one database are told.',
    'feed.idle': 'While nobody listens nothing is read, no timer runs, and nothing is kept.',
    'feed.hostile': 'Texts of others stay data: none of them makes an event, an id or a line of its own.',
    'feed.client':
      'The generated client reads the feed as an async iterable that goes on by itself after a break.',
    'feed.page': 'Who asks for JSON gets what has happened since the last event, and the id to go on from.',
  }),
  ...decision.built('10.1', {
    'listing.runs.totals': 'Rows of runs say duration, steps, tokens and cost of the whole tree.',
    'listing.runs.filters':
      'Runs can be asked for by status, kind, name, caller and time; what is no filter is 422.',
    'listing.runs.dearest': 'Runs can be listed by what they cost.',
    'listing.cursors': 'A cursor stays where it is while rows come.',
    'listing.run.steps': 'Each step of a run has its begin, its duration, its tokens and its cost.',
    'listing.run.cut': 'Arguments and results of steps are cut where asked, and pictures told by their size.',
    'listing.run.pages': 'Steps of a run can be read in pages.',
    'listing.approvals.decided': 'Decided approvals are listed with who decided how, when and why.',
    'listing.audit.filters': 'The audit log can be asked for a caller, a route and a time.',
    'listing.overview':
      'The overview counts runs by status, what waits, and what was spent today and in a while.',
    'listing.overview.requests': 'It counts requests and errors of a while, and says how long they took.',
    'listing.spend': 'Spend is listed by time, caller and model at once.',
    'listing.spend.csv': 'Who asks for `text/csv` gets it as a table, in which no text is a formula.',
    'listing.routes.forms': 'Rows of routes have name, summary and input schema.',
    'listing.devices.readings': 'Rows of devices have the numbers of the newest reading.',
  }),
];
