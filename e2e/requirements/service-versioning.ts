import { clauses, type Requirement } from './clause.ts';

const sentence = clauses('service: Versioning ');

/** Section "Versioning": five numbered sentences. */
export const serviceVersioning: readonly Requirement[] = [
  ...sentence.built('1', {
    'version.reported': 'The application reports its version, `0.1.0` unless set.',
  }),
  ...sentence.built('2', {
    'version.openapi': 'The OpenAPI document declares a 3.1 version.',
    'version.json-rpc': 'JSON-RPC messages declare version `2.0`.',
  }),
  ...sentence.built('3', {
    'version.device-hub': 'The device hub of specification release 2.3 is part of the service.',
  }),
  ...sentence.built('4', {
    'version.mcp-negotiated': 'Client and service agree on an MCP revision when they initialise.',
  }),
  ...sentence.built('5', {
    'version.policy': 'What happens to old names and paths is written down for users.',
  }),
];
