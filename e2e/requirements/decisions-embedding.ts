import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 1.2 and 9.8: routes, tools and devices in a server of somebody else. */
export const decisionsEmbedding: readonly Requirement[] = [
  ...decision.built('1.2', {
    'embed.composes': '`embed` makes one table of routes and plugins and serves it beside an application.',
    'embed.options':
      'It takes the options of the table, the dispatcher, the host and the door that it makes.',
    'embed.checks': 'It refuses all that is wrong with what it was given at once, before anything starts.',
    'embed.warns': 'What is odd about it is logged, and does not keep it from starting.',
    'embed.needs': 'Plugins get a host with stores, events and an outbound client, and their guards count.',
    'embed.untouched':
      'Paths that no route has reach the application without a header or a log line of ours.',
    'embed.parsed': 'A body that a parser in front has read is not read again.',
    'embed.mount-path': 'A middleware that is mounted elsewhere than it was told says so in the log.',
    'embed.mount-path.case':
      'The letter case of the mount path counts, for requests as for upgrades; other spellings go to the application.',
    'embed.upgrade': 'Upgrades of paths that nobody has are 404.',
    'embed.upgrade.others': 'Other listeners of a server get the upgrades that are not ours, and no others.',
    'embed.two': 'Two tables may be embedded in one process, and in one server.',
    'embed.start-fails': 'When a plugin fails to start, those before it are stopped.',
    'embed.close': 'Closing answers what is under way, closes sockets with 1001, and then stops the plugins.',
    'embed.close.once': 'Closing again gives the same promise, and closing needs no server that listens.',
    'embed.close.bounded': 'Closing takes no longer than its time and a second, whatever hangs.',
    'embed.close.timers': 'Closing ends the timers and tells work that nobody called.',
    'embed.close.connections': 'Kept and silent connections do not keep a server that is attached.',
  }),
  ...decision.built('9.8', {
    'embed.nobody': 'Without a sign-in nobody is authenticated, and what needs scopes refuses everybody.',
    'embed.control': 'Without a rule of its own the control plane is for the scope `svc:admin` alone.',
    'embed.programs': 'Routes, MCP and a camera work in applications of express, Fastify and `node:http`.',
  }),
];
