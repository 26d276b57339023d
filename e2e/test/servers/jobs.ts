/** What humans say of the calls of a job: yes, no, or nothing. */
export type Verdict = 'yes' | 'no' | 'nothing';

/** How a client reads what comes of its job. */
export type Reading = 'whole' | 'events' | 'slowly';

/** One run that a client starts, and all that may come of it. */
export interface Job {
  readonly name: string;
  readonly shape: string;
  readonly path: string;
  readonly body: object;
  readonly verdict: Verdict;
  readonly reading: Reading;
  /** Statuses that it may end with. */
  readonly ends: readonly string[];
  /** Codes that it may fail with by its own declaration. */
  readonly codes: readonly string[];
  /** Rows that are there exactly once when it has completed, as `<table> <n>`. */
  readonly rows: readonly string[];
  /** Somebody cancels it. */
  readonly isCancelled: boolean;
}

type Told = Pick<Job, 'path' | 'body'> & Partial<Job>;

/** Makes the jobs of one shape. @param verdict what humans say */
type Shape = (job: string, verdict: Verdict) => Told;

/** What a model is told to do in one turn. */
function call(job: string, tool: string, n = 1): string {
  return `[[call ${tool} ${JSON.stringify({ job, n })}]]`;
}

function desk(job: string, turns: readonly string[], more: object = {}): Pick<Job, 'path' | 'body'> {
  const input = `${job} ${turns.join(' ')} [[say done ${job}]]`;
  return { path: '/agents/desk', body: { input, ...more } };
}

/** A no fails whoever does not catch it. */
function declined(verdict: Verdict): readonly string[] {
  return verdict === 'no' ? ['declined', 'step_failed'] : [];
}

const shapes: Readonly<Record<string, Shape>> = {
  flat: (job) => ({
    ...desk(job, [call(job, 'look'), call(job, 'keyed'), call(job, 'once'), call(job, 'create_notes')]),
    rows: ['notes 1'],
  }),
  gated: (job, verdict) => ({
    ...desk(job, [call(job, 'keyed'), call(job, 'refund'), call(job, 'keyed', 2)]),
    ...(verdict === 'yes' && { rows: [] }),
  }),
  stamped: (job, verdict) => ({
    ...desk(job, [call(job, 'stamp'), call(job, 'create_notes')]),
    rows: verdict === 'yes' ? ['stamps 1', 'notes 1'] : ['notes 1'],
  }),
  expiring: (job) => ({
    ...desk(job, [call(job, 'gift'), call(job, 'create_notes')]),
    rows: ['notes 1'],
    verdict: 'nothing',
  }),
  'in time': (job) => desk(job, [call(job, 'gift'), call(job, 'keyed')]),
  mixed: (job, verdict) => {
    const tools = ['once', 'refund', 'create_notes', 'sign'].map(
      (tool) => `${tool} ${JSON.stringify({ job, n: 1 })}`,
    );
    const rows = verdict === 'yes' ? ['notes 1'] : [];
    return { ...desk(job, [`[[calls ${tools.join(', ')}]]`]), rows };
  },
  'handed over': (job) =>
    desk(job, [call(job, 'keyed'), '[[handoff clerk money]]', call(job, 'refund'), call(job, 'keyed', 2)]),
  errand: (job) => ({ path: '/behaviours/errand', body: { job }, rows: ['notes 11', 'notes 12'] }),
  nested: (job) => ({
    ...desk(job, [call(job, 'look'), `[[call errand ${JSON.stringify({ job })}]]`, call(job, 'once')]),
    rows: ['notes 11', 'notes 12'],
  }),
  delivery: (job) => ({
    path: '/flows/delivery',
    body: { job, text: `${job} [[call errand ${JSON.stringify({ job })}]] [[say done ${job}]]` },
    rows: ['notes 1', 'notes 11', 'notes 12'],
  }),
  wide: (job, verdict) => ({
    path: '/flows/wide',
    body: { job },
    codes: declined(verdict),
    rows: ['notes 1', 'notes 11', 'notes 12'],
  }),
  'gives up': (job) => ({
    path: '/behaviours/gives-up',
    body: { job },
    ends: ['failed'],
    codes: ['refused'],
  }),
  thrifty: (job) => ({
    path: '/agents/thrifty',
    body: { input: `${job} ${call(job, 'look')} [[repeat]]` },
    ends: ['budget_exhausted', 'step_limit'],
  }),
  leaving: (job) => ({
    path: '/agents/leaver',
    body: {
      input: `${job} ${call(job, 'look').repeat(8)} ${call(job, 'create_notes')} ${call(job, 'refund')} [[say done]]`,
    },
    verdict: 'nothing',
    ends: ['cancelled'],
    isCancelled: true,
  }),
  lengthy: (job) => ({ path: '/behaviours/lengthy', body: { job }, reading: 'slowly' }),
};

/** The shapes there are, and `session`: two turns of one conversation. */
export const shapeNames: readonly string[] = [...Object.keys(shapes), 'session'];

/** The jobs of a shape: one, or the turns of a session. @param first the number of the first one */
export function makeJobs(shape: string, first: number, random: () => number): readonly Job[] {
  const reading: Reading = random() < 0.3 ? 'events' : 'whole';
  const verdict: Verdict = random() < 0.75 ? 'yes' : 'no';
  const make = shapes[shape] ?? sessionTurn(`talk-${first}`);
  return Array.from({ length: shapes[shape] ? 1 : 2 }, (_, i) => {
    const name = `job-${first + i}`;
    const usual = { ends: ['completed'], codes: [], rows: [], isCancelled: false };
    const told = { ...usual, name, shape, verdict, reading, ...make(name, verdict) };
    return told.codes.length > 0 && !told.ends.includes('failed')
      ? { ...told, ends: [...told.ends, 'failed'] }
      : told;
  });
}

function sessionTurn(session: string): Shape {
  return (job) => ({
    ...desk(job, [call(job, 'keyed'), call(job, 'refund'), call(job, 'create_notes')], {
      session_id: session,
    }),
    ...{ rows: [] },
  });
}
