import { clauses, type Requirement } from './clause.ts';

const descriptor = clauses('service: Tool descriptor, ');
const result = clauses('service: Tool call result, ');

/** Tables "Tool descriptor" and "Tool call result". */
export const serviceTools: readonly Requirement[] = [
  ...descriptor.built('name', {
    'tool.name.from-route': 'A tool without a name of its own is named after its method and path.',
    'tool.name.path-parameter': 'In a tool name the segment `{x}` reads `by_x`.',
    'tool.name.example': 'GET `/tickets/{id}/summary` is called `get_tickets_by_id_summary`.',
    'tool.name.override': 'The route option `tool_name` replaces the derived name.',
  }),
  ...descriptor.built('name', {
    'tool.name.resource':
      'A resource names its tools `list_`, `get_`, `create_`, `update_` and `delete_` plus its own name.',
  }),
  ...descriptor.built('description', {
    'tool.description.summary': 'A tool describes itself with the `summary` of its route.',
    'tool.description.docstring': 'Without a `summary` the docstring of the handler describes the tool.',
  }),
  ...descriptor.built('inputSchema', {
    'tool.input.object': 'The input schema of a tool is a JSON Schema of type `object`.',
    'tool.input.properties': 'Each parameter of the handler is one property with a JSON type.',
    'tool.input.default': 'A parameter with a default shows that default in its property.',
    'tool.input.required': 'Exactly the parameters without a default are `required`.',
    'tool.input.closed': 'The input schema forbids additional properties.',
    'tool.input.from-signature':
      'The schema follows the signature of the handler; it is written nowhere else.',
  }),
  ...descriptor.built('annotations', {
    'tool.annotations.members':
      'A descriptor states `readOnlyHint`, `idempotentHint` and `requiresApproval` as booleans.',
    'tool.annotations.by-method': 'The read-only and idempotent hints come from the HTTP method by default.',
    'tool.annotations.read-only-override': 'The route option `read_only` overrides `readOnlyHint`.',
    'tool.annotations.idempotent-override': 'The route option `idempotent` overrides `idempotentHint`.',
    'tool.annotations.requires-approval':
      '`requiresApproval` is true for a route with `approval: required` and false for every other.',
  }),
  ...result.built('content', {
    'tool.result.content': 'A tool call answers with a `content` array of `{type: "text", text}` items.',
  }),
  ...result.built('isError', {
    'tool.result.is-error': '`isError` is true when the tool failed and not otherwise.',
  }),
];
