import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 11.1 and 11.2: scale. */
export const decisionsScale: readonly Requirement[] = [
  ...decision.built('11.1', {
    'scale.one-process': 'For now `waymark start` runs one process, whatever `workers` says, and says so.',
    'scale.workers.dev': '`waymark dev` has one worker by default.',
  }),
  ...decision.planned('workers', '11.1', {
    'scale.workers.start': '`waymark start` has one worker per CPU by default.',
    'scale.stateless': 'A stateless route runs on any worker.',
    'scale.owner': 'One process owns devices, runs and writes.',
    'scale.listings': 'Whichever worker answers, a listing says the same.',
    'scale.calls': 'Calls of owner routes travel as route name with arguments or bytes.',
    'scale.sockets': 'Upgrades and frames reach the owner by handing over their socket.',
    'scale.killed-worker': 'One second after a worker was killed another stands in its place.',
  }),
  ...decision.planned('workers', '11.2', {
    'scale.machines.state': 'Several machines can share their state in one libsql server.',
    'scale.machines.hub': 'Several machines can share the hub over Redis; by default it is in memory.',
    'scale.machines.one-suite': 'One suite of contract tests runs on both hub backends.',
  }),
];
