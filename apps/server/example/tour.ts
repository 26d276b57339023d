import { type KeyName, keyNames } from './key-roles.ts';

/**
 * What a newcomer can try: one line for each capability, ready to paste. The lines take their keys from variables, so that none
 * stands on a screen (decision 10.6).
 *
 * @param file of the keys for development, if they are from one
 */
export function tour(
  url: string,
  { file, failUrl }: { readonly file: string | undefined; readonly failUrl: string },
): string {
  const as = (key: KeyName): string => `-H "x-api-key: $${key}"`;
  const json = "-H 'content-type: application/json'";
  const rpc = (method: string, params: object): string =>
    `-d '${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}'`;
  const lines: readonly (readonly [string, string])[] = [
    ['read tickets, as the reader', `curl -s ${url}/tickets ${as('READER_KEY')}`],
    ['one declared route, by HTTP', `curl -s '${url}/tickets/1/summary?style=long' ${as('READER_KEY')}`],
    [
      'the same route, as an MCP tool',
      `curl -s ${url}/_svc/mcp ${as('OPERATOR_KEY')} ${json} ${rpc('tools/call', { name: 'get_tickets_by_id_summary', arguments: { id: 1 } })}`,
    ],
    ['every tool', `curl -s ${url}/_svc/tools ${as('OPERATOR_KEY')}`],
    ['a query with a join, urgent ones first', `curl -s ${url}/tickets/open ${as('READER_KEY')}`],
    [
      'a digest and how it comes about, as events',
      `curl -sN ${url}/tickets/digest -H 'accept: text/event-stream' ${as('READER_KEY')}`,
    ],
    [
      'open a ticket',
      `curl -s ${url}/tickets ${as('OPERATOR_KEY')} ${json} -d '{"title":"Coffee machine is slow"}'`,
    ],
    [
      'remember something, each caller for itself',
      `curl -s ${url}/notes/remember ${as('OPERATOR_KEY')} ${json} -d '{"key":"printers","value":"Call the fire brigade first."}'`,
    ],
    ['find it again by its words', `curl -s '${url}/notes/search?query=printer+fires' ${as('OPERATOR_KEY')}`],
    ['another service, behind this one', `curl -s ${url}/customers/1/invoices ${as('READER_KEY')}`],
    [
      'ask an agent, which looks for itself',
      `curl -s ${url}/agents/support ${as('READER_KEY')} ${json} -d '{"input":"Which tickets are open?"}'`,
    ],
    ['the same as a conversation, in this terminal', `npx waymark chat support --as operator --url ${url}`],
    [
      'have an agent refund: it waits for a human',
      `curl -s ${url}/agents/biller ${as('OPERATOR_KEY')} ${json} -d '{"input":"[[call refund_customer {\\"id\\":1,\\"euros\\":49}]] [[say Refunded.]]"}'`,
    ],
    [
      'code that asks about all tickets at once: a behaviour',
      `curl -s ${url}/behaviours/triage ${as('OPERATOR_KEY')} ${json} -d '{}'`,
    ],
    [
      'a list of steps, one of which waits for a human: a flow',
      `curl -s ${url}/flows/refund ${as('OPERATOR_KEY')} ${json} -d '{"customer":1,"euros":49}'`,
    ],
    ['what waits for a human', `curl -s ${url}/_svc/approvals ${as('OPERATOR_KEY')}`],
    [
      'approve the first of it, as a human; the run goes on',
      `curl -s ${url}/_svc/approvals/$(curl -s ${url}/_svc/approvals ${as('OPERATOR_KEY')} | grep -o '"approval_id":"[^"]*' | head -1 | cut -d'"' -f4) ${as('OPERATOR_KEY')} ${json} -d '{"approve":true,"note":"billed twice"}'`,
    ],
    ['the newest reading of a sensor', `curl -s ${url}/devices/thermometer/telemetry ${as('READER_KEY')}`],
    [
      'a camera that is asked for its picture: no older than a second, or 504',
      `curl -s -o /dev/null -D - '${url}/devices/dock/latest?max_age_ms=1000' ${as('READER_KEY')}`,
    ],
    ['have that camera fail for 30 s', `curl -s -X POST '${failUrl}'`],
    ['the cameras, how they are, and who watches', `curl -s ${url}/_svc/devices ${as('OPERATOR_KEY')}`],
    ['what a watcher concludes of the lobby', `curl -s ${url}/devices/lobby/insights ${as('READER_KEY')}`],
    ['who watches, how often, and what it cost', `curl -s ${url}/_svc/watchers ${as('OPERATOR_KEY')}`],
    ['where its webhooks go, and whether they arrive', `curl -s ${url}/_svc/webhooks ${as('OPERATOR_KEY')}`],
    ['what a reader may not do', `curl -s ${url}/tickets ${as('READER_KEY')} ${json} -d '{"title":"No"}'`],
    [
      'a gated tool, refused over MCP',
      `curl -s ${url}/_svc/mcp ${as('OPERATOR_KEY')} ${json} ${rpc('tools/call', { name: 'purge_tickets' })}`,
    ],
    ['the OpenAPI document', `curl -s ${url}/_svc/openapi.json ${as('OPERATOR_KEY')}`],
    ['is it alive', `curl -s ${url}/_svc/health`],
  ];
  return [
    '',
    `Open in a browser: ${url}/board`,
    `Both cameras, live: ${url}/devices/lobby/view and ${url}/devices/dock/view (READER_KEY)`,
    `Your own camera as the one of the lobby: ${url}/devices/lobby/connect (DEVICE_KEY)`,
    '',
    file === undefined ? 'Try:' : `Try, after \`. ./${file}\`:`,
    ...lines.map(([what, line]) => `  # ${what}\n  ${line}`),
    '',
    `To use keys of your own, set ${keyNames.join(', ')}${file === undefined ? '' : `; to have new ones made, delete ${file}`}.`,
    '',
  ].join('\n');
}
