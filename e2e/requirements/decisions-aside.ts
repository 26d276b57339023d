import { clauses, type Requirement } from './clause.ts';

const opening = clauses('decisions, opening: ');
const aside = clauses('decisions 0: ');

/** The product's names, and decision 0: where it goes past or aside of the specification. */
export const decisionsAside: readonly Requirement[] = [
  ...opening.built('names', {
    'product.names': 'Packages live under `@waymark` and the command is called `waymark`.',
    'product.wire-constants': 'On the wire the prefix stays `/_svc` and the administrator scope `svc:admin`.',
  }),
  ...opening.built('names', {
    'product.environment-prefix': 'Variables of the product begin with `WAYMARK_`.',
  }),
  ...opening.built('names', {
    'product.memory-tables': 'Tables of memories begin with `svc_`.',
  }),
  ...aside.built('behaviours', {
    'aside.behaviour.path': 'A behaviour that chose no path gets one, because a tool is always a route.',
    'aside.behaviour.open-input': 'A behaviour without `input` takes an object with any members.',
  }),
  ...aside.built('flows', {
    'aside.flow.open-input': 'A flow without an input schema lets members through that it does not name.',
  }),
  ...aside.built('anonymous callers', {
    'aside.anonymous.no-sessions': 'An anonymous caller has no session with an agent.',
  }),
  ...aside.built('anonymous callers', {
    'aside.anonymous.no-memory': 'An anonymous caller has no memory.',
  }),
  ...aside.built('anonymous callers', {
    'aside.anonymous.no-principal': 'An anonymous caller is refused where `@principal` would be bound.',
  }),
  ...aside.built('image URLs', {
    'aside.images.no-urls': 'An image that a caller gives as URL is refused.',
  }),
  ...aside.built('JWT', {
    'aside.jwt.exp-and-sub': 'A token without `exp` or without `sub` is refused.',
  }),
  ...aside.built('batches', {
    'aside.mcp.batch-refused': 'Revision 2026-07-28 refuses batches, as its own rules demand.',
    'aside.mcp.batch-cap': 'A batch of more than 50 messages is refused.',
  }),
  ...aside.built('keys', {
    'aside.keys.short': 'A key that is too short is refused.',
  }),
  ...aside.built('memory', {
    'aside.memory.limit-clamped': 'A memory search asked for too much gives what is allowed, not an error.',
  }),
  ...aside.built('socket messages', {
    'aside.socket.extra-messages': 'Sockets also say `ready`, `error` and `waiting`.',
    'aside.socket.unknown-ignored': 'Our socket clients pass over message types they do not know.',
  }),
  ...aside.built('extensions', {
    'aside.extensions-add': 'An extension adds to what is specified and changes nothing of it.',
  }),
];
