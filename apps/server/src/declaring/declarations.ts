import type { AgentsDeclaration } from '@waymark/agents';
import type { CredentialDeclaration } from '@waymark/auth';
import type { Plugin, Problem, Route } from '@waymark/contract';
import type { SqlDeclaration } from '@waymark/data';
import type { DeviceDeclaration } from '@waymark/device-hub';
import type { FlowDeclaration } from '@waymark/flows';
import type { ModelDeclaration } from '@waymark/models';
import type { ForwardingDeclaration, PagesDeclaration } from '@waymark/pages';
import type { Middleware } from '../application.ts';
import type { AddedPlugin } from '../check/check-parts.ts';
import type { ApplicationDatabase } from '../compose/compose-data.ts';
import type { Settings } from '../options/settings.ts';
import type { PolicyReading } from './read-policies.ts';

/** What has been declared, for those who compose it. */
export interface Declarations extends PolicyReading {
  readonly name: string;
  readonly settings: Settings;
  readonly routes: readonly Route[];
  readonly plugins: readonly Plugin[];
  readonly addedPlugins: readonly AddedPlugin[];
  readonly credentials: readonly CredentialDeclaration[];
  readonly models: readonly ModelDeclaration[];
  readonly data: readonly SqlDeclaration[];
  readonly database: ApplicationDatabase;
  readonly pages: readonly PagesDeclaration[];
  readonly forwarding: readonly ForwardingDeclaration[];
  readonly agents: readonly AgentsDeclaration[];
  readonly flows: readonly FlowDeclaration[];
  readonly devices: readonly DeviceDeclaration[];
  readonly middleware: readonly Middleware[];
  /** What is wrong with the calls themselves: arguments of another type, as JavaScript can pass them. */
  readonly callProblems: readonly Problem[];
}
