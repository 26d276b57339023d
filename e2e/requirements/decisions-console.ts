import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decision 12.1: the operator console. */
export const decisionsConsole: readonly Requirement[] = [
  ...decision.built('12.1', {
    'console.development-key':
      'The page to sign in names the variable and the file of a key of `svc:admin` where `waymark dev` made one, and no key otherwise.',
    'console.static': 'The console is a page with its files under the control prefix, and holds no data.',
    'console.left-out': '`console: false` leaves it out.',
    'console.public': 'Its files need no credential; everything that it shows needs that of whoever looks.',
    'console.client': 'It speaks through the generated client of the control plane, which is kept fresh.',
    'console.policy': 'It runs its own scripts alone and asks its own origin alone.',
    'console.small': 'First it loads 60 kB of scripts and 15 kB of styles at most.',
    'console.key': 'A key that was typed stands in no address and no storage.',
    'console.link': 'A link with a code opens it signed in: once, within a minute, on this machine.',
    'console.sign-out': 'Who signs out sees nothing any more.',
    'console.expired': 'A session that ended leads to the sign-in, and from there back to the same place.',
    'console.reader': 'A key without `svc:admin` is told what it lacks.',
    'console.keyboard': 'Approvals are decided by keyboard, and the title counts them.',
    'console.armed': 'What has just come up is not decided by a key that was meant for another.',
    'console.nested':
      'What an agent asks for through what it calls is decided with the whole chain in sight, and it hears how.',
    'console.race': 'Of two that decide the later one is told who was first.',
    'console.run': 'A run is shown with its steps as they come, and can be cancelled.',
    'console.restart': 'When the service is back it goes on by itself within 3 seconds.',
    'console.playground': 'An agent is tried with its tools, its text and its questions in place.',
    'console.pictures': 'Pictures are pasted or chosen, and the model of the agent sees them.',
    'console.call': 'A route is called from a form of what it takes.',
    'console.call-refused': 'Whoever is refused by a gate, a scope or a human is told so where they asked.',
    'console.keyboard-alone': 'Everything is done by keyboard alone, with the focus seen and never lost.',
    'console.still': 'Who wants less motion sees none.',
    'console.devices': 'Cameras are shown as they are now, also that one died and that it is back.',
    'console.devices-frugal': 'No picture is asked for that nobody looks at.',
    'console.insights': 'What watchers concluded is shown with its picture, and what they may still do.',
    'console.readings': 'Readings are drawn as they come.',
    'console.routes':
      'A declaration is shown as a curl line, an MCP call, a call of the client and its schema.',
    'console.reference': 'The docs page of the service is shown inside, at any of its operations.',
    'console.usage':
      'The ledger is shown by time, model and caller, with the runs that cost most, and saved.',
    'console.audit': 'The log is filtered and followed, and each of its events has an address.',
    'console.webhooks': 'Endpoints are shown with their messages, which can be sent again.',
    'console.security':
      'The security report is shown with its findings, their fixes and the limits in force.',
    'console.data': 'Resources and memories are read by their own routes, and not changed.',
    'console.hostile':
      'Whatever others write is shown as text, with what would be unseen in it: no script runs, and nothing is sent elsewhere.',
    'console.accessible': 'Each page is without faults that axe finds, in both themes and on a phone.',
    'console.journeys':
      'Twenty-five journeys of operators each begin from a fresh reference application by its printed link.',
    'console.long': 'Ten thousand runs are listed without the page standing still.',
  }),
];
