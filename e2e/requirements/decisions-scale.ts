import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 11.1 and 11.2: scale. */
export const decisionsScale: readonly Requirement[] = [
  ...decision.built('11.1', {
    'scale.workers.start': '`waymark start` has one worker per CPU by default.',
    'scale.why-one':
      'Where what is declared keeps its state in the process there is one by default, and the first screen says why.',
    'scale.workers.dev': '`waymark dev` has one worker by default.',
    'scale.stateless': 'A stateless route runs on any worker.',
    'scale.owner': 'One process owns devices, runs and writes.',
    'scale.listings': 'Whichever worker answers, a listing says the same.',
    'scale.calls': 'Calls of owner routes travel as route name with arguments or bytes.',
    'scale.sockets': 'Upgrades and frames reach the owner by handing over their socket.',
    'scale.killed-worker': 'One second after a worker was killed another stands in its place.',
  }),
  ...decision.built('11.1', {
    'scale.killed-owner': 'Two seconds after the owner was killed another owns devices, runs and writes.',
    'scale.failed':
      'A process in which a handler left a failure behind is replaced while it still answers: nobody else is refused.',
    'scale.stop':
      'Told to stop, whichever process is told, open requests are answered, those that travel to the owner too.',
    'scale.killed-supervisor':
      'When the process that keeps the others is killed all end, and the next start finds everything.',
    'scale.limits': 'However many processes answer, a rate limit lets as many through as it says.',
    'scale.door':
      'Nobody but its own processes reaches the owner, and no call gains authority on its way there.',
    'scale.reload': 'A reload puts a new process in the place of each, and no request is lost.',
    'scale.crash-loop':
      'Processes that end again and again are not started for ever: the service says so and ends.',
    'scale.logs': 'Lines of the log say which process wrote them.',
    'scale.memory': 'Several processes over a database in memory are refused.',
  }),
  ...decision.built('11.2', {
    'scale.machines.state': 'Several machines can share their state in one libsql server.',
    'scale.machines.boot': 'Instances that start at once on an empty server make its tables once.',
    'scale.machines.reads': 'What one instance has written is read at once at all.',
    'scale.machines.runs': 'A run is listed, decided, answered and cancelled at any instance.',
    'scale.machines.followed': 'Who follows a run where it is not executed is told the same steps.',
    'scale.machines.feed': 'Audit log and feed of an instance tell what happens at all of them.',
    'scale.machines.keys': 'An idempotency key that comes to several instances at once starts one run.',
    'scale.machines.spend': 'The ledger adds up what all instances have spent.',
    'scale.machines.stores': 'The cases of every store hold on a libsql server, large values included.',
  }),
  ...decision.built('11.2', {
    'scale.machines.sign-out': 'Who signs out at one instance is signed out at all, within two seconds.',
    'scale.machines.webhooks':
      'One instance at a time delivers messages: each is sent once while all goes well.',
    'scale.machines.clocks': 'Leases hold between machines whose clocks are hours apart.',
    'scale.machines.cut-off':
      'Runs of an instance that is cut off from the server go on elsewhere, and what it writes late is refused.',
    'scale.machines.outage':
      'While the server is away writes are 503 `database_unreachable`; nothing acknowledged is lost, and runs go on.',
    'scale.machines.health':
      'Health names a server that is away or says nothing within five seconds, and is well as soon after its return.',
    'scale.machines.files':
      'The files of the guide for two machines name what is there, and set what a server reads.',
    'scale.machines.stuck': 'A transaction that nobody ends keeps others from writing for five seconds.',
  }),
  ...decision.built('11.2', {
    'scale.machines.hub': 'Several machines can share the hub over Redis; by default it is in memory.',
    'scale.redis.pulls':
      'Of several instances one at a time asks a camera, and no more often than one would.',
    'scale.machines.one-suite': 'One suite of contract tests runs on both hub backends.',
    'scale.redis.away':
      'While Redis is away what devices send is refused, whoever listens stays and goes on when it is back, and health names it.',
    'scale.redis.faults':
      'A question to Redis that is refused, breaks off, is not answered or is answered with nonsense is 503 within 6 s, health is well again within 5 s, and what was taken is heard by everybody.',
    'scale.redis.late':
      'What was refused because Redis stands still is not done when it goes on: no frame, reading, status or claim.',
    'scale.redis.numbers': 'Numbers of frames go on behind those there were when Redis has lost them.',
    'scale.redis.bounded': 'A slow Redis costs no more memory than its limit, of a device and of all.',
    'scale.redis.forgets': 'Redis forgets a device that has been silent for as long as it is kept.',
    'scale.redis.strange': 'What no hub has written is passed over and ends nothing.',
    'scale.redis.rates':
      'However many instances answer, a rate limit lets as many through as it says; while Redis is away each limits by itself.',
    'scale.redis.credentials':
      'A Redis that refuses who comes keeps the hub from starting, and no word of a URL is shown.',
  }),
];
