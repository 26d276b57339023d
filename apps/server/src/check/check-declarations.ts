import { checkCredentials, isAuthenticationConfigured } from '@waymark/auth';
import type { Problem } from '@waymark/contract';
import { type Fault, isError, type RuleBook, toProblems } from '@waymark/contract/declaring';
import { checkRoutes } from '@waymark/contract/route';
import { checkPolicies } from '@waymark/http';
import { checkTools } from '@waymark/mcp';
import { checkOpenApi } from '@waymark/openapi';
import { checkDatabasePlace } from '../compose/application-database.ts';
import { type Composition, compose } from '../compose/compose.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { checkLimits } from './check-limits.ts';
import { checkFeatureNeeds, checkName, checkPlugins } from './check-parts.ts';
import { checkReach } from './check-scopes.ts';
import { checkAgentKeys, checkSpend, checkWatchCosts } from './check-spend.ts';
import { isLoopback } from './is-loopback.ts';

/** What holds for an application as a whole. */
export const applicationRules = {
  'host-exposed': 'Without authentication only the own machine may connect.',
  'option-unused': 'An option is read by something that is declared.',
} as const satisfies RuleBook;

type ApplicationFault = Fault<keyof typeof applicationRules>;

/** Looks at an application before it listens. */
type Check = (declarations: Declarations, composition: Composition) => readonly Problem[];

/**
 * Everything that looks at an application: a line for each package that owns a kind of declaration, in the order in
 * which a reader would look. A package that is added as a plugin has its `check`, and needs no line.
 */
const checks: readonly Check[] = [
  ({ name, settings }) => toProblems('application', settings.declaredAt, checkName(name)),
  ({ callProblems }) => callProblems,
  ({ settings }) => settings.problems,
  ({ settings }, { table }) =>
    // The control prefix is an option of the application.
    table.problems.map((problem) => placed(problem, settings.declaredAt)),
  (_, { table }) => (table.problems.some(isError) ? [] : checkOpenApi(table)),
  ({ settings, declared }, { authorization: { resource } }) =>
    checkCredentials(declared.credentials, settings.env, { resource }),
  checkDoor,
  checkExposure,
  ({ database, settings }) => checkDatabasePlace(database, settings),
  checkParts,
  ({ settings }, { plugins, table, models, hub: { devices } }) => {
    const boot = { table, env: settings.env, models: models.client, devices };
    return plugins.flatMap((plugin) => plugin.check?.(boot) ?? []);
  },
  checkCalls,
  checkUnused,
  ({ settings }, { table }) => checkLimits(table, settings),
  (_, { table }) => checkRoutes(table),
  ({ settings }, { table }) => checkTools(table).map((problem) => placed(problem, settings.declaredAt)),
  (declarations, { table }) => checkReach(table, declarations),
];

/** Everything wrong with an application, all at once (decision 1.8), then what is odd about it: warnings. */
export function checkDeclarations(
  declarations: Declarations,
  composition = compose(declarations),
): readonly Problem[] {
  const found = checks.flatMap((check) => check(declarations, composition));
  return [...found.filter(isError), ...found.filter((problem) => !isError(problem))];
}

/** What plugins need, and whether two are called the same. */
function checkParts(
  { addedPlugins, database, settings }: Declarations,
  { plugins }: Composition,
): readonly Problem[] {
  const given = new Set([
    'devices',
    'models',
    'outbound',
    'runner',
    ...(database.url === undefined ? [] : ['database']),
  ]);
  const ofFeatures = plugins.filter((one) => !addedPlugins.some(({ plugin }) => plugin === one));
  return [...checkPlugins(addedPlugins, given), ...checkFeatureNeeds(ofFeatures, given, settings.declaredAt)];
}

/** What the door says of its policies, at the place where each was declared. */
function checkDoor({ settings, policies, policyProblems }: Declarations): readonly Problem[] {
  const places = new Map(Object.entries(policies).map(([name, { declaredAt }]) => [name, declaredAt]));
  return [
    ...policyProblems,
    ...checkPolicies({ ...settings.wire, ...policies }).map((problem) =>
      // Policies that are options stand where the application is made.
      placed(problem, places.get(problem.declaration) ?? settings.declaredAt),
    ),
  ];
}

function placed(problem: Problem, at: string | undefined): Problem {
  return problem.at === undefined && at !== undefined ? { ...problem, at } : problem;
}

/** Without authentication only the own machine may connect (decision 3.6). */
function checkExposure({ settings, declared: { credentials } }: Declarations): readonly Problem[] {
  const { host, allowUnauthenticated, declaredAt, variables, variablesAt } = settings;
  if (isLoopback(host) || isAuthenticationConfigured(credentials) || allowUnauthenticated) return [];
  const exposed: ApplicationFault = {
    code: 'host-exposed',
    rule: `${variables.host === undefined ? 'host ' : `${variables.host}=`}${host} is reachable from elsewhere and no authentication is configured`,
    fix: 'declare an apiKey or a jwt, bind 127.0.0.1, or set allowUnauthenticated: true',
  };
  return variables.host === undefined
    ? toProblems('application', declaredAt, [exposed])
    : toProblems('environment', variablesAt, [exposed]);
}

/** What of the models can be called, and at what price; nothing is said of what is not declared well yet. */
function checkCalls(
  { declared, settings }: Declarations,
  { table, models }: Composition,
): readonly Problem[] {
  const problems = models.plugin.check?.({ table, env: settings.env }) ?? [];
  if (problems.some(isError)) return [];
  return [
    ...checkSpend(declared.models, models.describe()),
    ...checkAgentKeys(declared.agents, models.missingKeys),
    ...checkWatchCosts(declared.watchers, declared.agents, models.client, models.describe()),
  ];
}

/** Options that nothing declared reads. */
function checkUnused({ settings, database, declared: { pages } }: Declarations): readonly Problem[] {
  const { templates, migrations, declaredAt } = settings;
  const faults: ApplicationFault[] = [];
  if (templates !== undefined && pages.every(({ kind }) => kind === 'staticFiles'))
    faults.push(unused('the templates option is set, and nothing declared here reads it', 'take it out'));
  if (typeof migrations === 'string' && database.url === undefined)
    faults.push(
      unused(
        'the migrations option is set, and there is no database',
        'name one, as database or in DATABASE_URL, or take it out',
      ),
    );
  return toProblems('application', declaredAt, faults);
}

function unused(rule: string, fix: string): ApplicationFault {
  return { code: 'option-unused', severity: 'warning', rule, fix };
}
