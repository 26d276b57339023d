/** Scenarios that are not held against the server, and why. Whatever a suite offers beside them has to pass. */
export const notRun: Readonly<Record<string, string>> = {
  ...all('the server serves tools only, and says so', [
    'completion-complete',
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'sep-2164-resource-not-found',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'input-required-result-non-tool-request',
  ]),
  ...all('an extension that is not announced', [
    'sep-2640-skills-directory',
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
  ]),
  ...all('the server sends no log messages over MCP: 2026-07-28 deprecates them', [
    'logging-set-level',
    'tools-call-with-logging',
  ]),
  ...all('the server keeps no session, so on the older revisions it cannot ask its client anything', [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ]),
  ...all('tools that ask their caller for more input are a later capability', [
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-result-type',
    'input-required-result-unsupported-methods',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ]),
  ...all('the tasks extension is a later capability', [
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-status-notifications',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
  ]),
};

function all(reason: string, scenarios: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(scenarios.map((scenario) => [scenario, reason]));
}
