import { clauses, type Requirement } from './clause.ts';

const option = clauses('service: Application options, ');

/** Table "Application options": constructor, then eleven options with their defaults. */
export const serviceApplication: readonly Requirement[] = [
  ...option.built('constructor', {
    'app.constructor': 'An application is made from its name and, after it, its options.',
  }),
  ...option.built('description', {
    'app.option.description': 'The description of the application appears in its OpenAPI document.',
    'app.option.description.default': 'An application without a description has an empty one.',
  }),
  ...option.built('version', {
    'app.option.version': 'The version given to the application is the one it reports.',
    'app.option.version.default': 'Without a version option the application reports `0.1.0`.',
  }),
  ...option.built('database', {
    'app.option.database': 'A database given as `sqlite://<path>` is kept in that file.',
  }),
  ...option.built('database', {
    'app.option.database.default': 'An application without a database option has no database and starts.',
  }),
  ...option.built('templates', {
    'app.option.templates': 'The templates option names the directory in which pages find their templates.',
  }),
  ...option.built('templates', {
    'app.option.templates.default': 'An application without a templates option has no templates and starts.',
  }),
  ...option.built('host', {
    'app.option.host': 'The server binds the address given as host.',
    'app.option.host.default': 'Without a host option the server binds `127.0.0.1`.',
  }),
  ...option.built('port', {
    'app.option.port': 'The server listens on the port it was given.',
    'app.option.port.default': 'Without a port option the server listens on 8000.',
  }),
  ...option.built('workers', {
    'app.option.workers':
      'The workers option sets how many processes `waymark start` runs; whatever calls `listen` itself is one.',
    'app.option.workers.default': 'Without a workers option there are as many workers as CPUs.',
  }),
  ...option.built('control_prefix', {
    'app.option.control-prefix': 'The control plane moves to the prefix it was given.',
    'app.option.control-prefix.default': 'Without a prefix option the control plane sits under `/_svc`.',
  }),
  ...option.built('request_timeout', {
    'app.option.request-timeout': 'The request timeout option, in seconds, bounds how long a route may work.',
    'app.option.request-timeout.default': 'Without that option a request has 30 seconds.',
  }),
  ...option.built('agent_timeout', {
    'app.option.agent-timeout':
      'Agent, flow and behaviour routes have the agent timeout, not the request timeout.',
  }),
  ...option.built('agent_timeout', {
    'app.option.agent-timeout.default': 'Without that option the agent timeout is 600 seconds.',
  }),
  ...option.built('shutdown_timeout', {
    'app.option.shutdown-timeout':
      'The shutdown timeout option, in seconds, bounds how long stopping may take.',
    'app.option.shutdown-timeout.default': 'Without that option shutting down has 25 seconds.',
  }),
];
