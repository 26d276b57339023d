import { agentsFeature } from '@waymark/agents';
import { credentialsFeature } from '@waymark/auth';
import type { Feature } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import type { WebhookEndpoint } from '@waymark/contract/stores';
import { dataFeature, type SqlDatabase } from '@waymark/data';
import { devicesFeature } from '@waymark/device-hub';
import { flowsFeature } from '@waymark/flows';
import { modelsFeature } from '@waymark/models';
import { outboxFeature } from '@waymark/outbox';
import { forwardingFeature, type HostSide, pagesFeature } from '@waymark/pages';
import { watchersFeature } from '@waymark/watchers';
import { policiesFeature } from './policies-feature.ts';
import { routesFeature } from './routes-feature.ts';

/** What an application tells its features. Each takes what it needs of it. */
export interface FeatureSettings extends HostSide {
  /** The directory of page templates. */
  readonly templates: string | undefined;
  /** The URL at which callers reach the application, where that is declared. */
  readonly publicUrl: string | undefined;
  /** Whether a database is declared, though its URL be wrong. */
  readonly hasDatabase: boolean;
  readonly database: SqlDatabase | undefined;
  /** The plugins of the models, of the runs and of the devices, which others are given at work. */
  readonly models: Plugin;
  readonly runs: Plugin;
  readonly devices: Plugin;
  /** The endpoints of all plugins; asked once all are made. */
  readonly webhooks: () => readonly WebhookEndpoint[];
}

/** Any feature of an application. */
export type ApplicationFeature = Feature<unknown, FeatureSettings>;

/**
 * Everything that can be declared: a row for each feature. Their plugins start in this order and stop in the opposite one:
 * whatever calls models has ended by the time these stop.
 */
export const features = [
  routesFeature,
  credentialsFeature,
  policiesFeature,
  { ...modelsFeature, plugin: (_, { models }) => models },
  dataFeature,
  { name: 'runs', kinds: [], plugin: (_, { runs }) => runs },
  outboxFeature,
  pagesFeature,
  forwardingFeature,
  { ...devicesFeature, plugin: (_, { devices }) => devices },
  agentsFeature,
  flowsFeature,
  watchersFeature,
] as const satisfies readonly ApplicationFeature[];

/** The declarations of every feature, in the order of their calls. */
export type Declared = {
  readonly [F in (typeof features)[number] as F['name']]: readonly ReturnType<
    F['kinds'][number]['declare']
  >[];
} & {
  /** Those of features that a caller of `createApplicationWith` has brought. */
  readonly [name: string]: readonly unknown[];
};

/** What the methods of kinds are called. */
export type MethodName<F extends Feature = (typeof features)[number]> = F['kinds'][number]['method'];
