import type { Feature } from '@waymark/contract/declaring';
import type { WebhookEndpoint } from '@waymark/contract/stores';
import { createOutbox } from './create-outbox.ts';
import { notifyRules } from './notify/check-notify.ts';
import { type NotifyDeclaration, notify } from './notify/notify.ts';

/** Feature with the declaration call `notify`, its rules, and the plugin that sends what is in the outbox. */
export const outboxFeature = {
  name: 'outbox',
  // Its URL may hold a secret: where a call stands says enough.
  kinds: [{ method: 'notify', declare: notify, options: 1, title: () => 'notify' }],
  rules: notifyRules,
  plugin: (declarations, { webhooks }) => createOutbox(declarations, { endpoints: webhooks }),
} as const satisfies Feature<NotifyDeclaration, { readonly webhooks: () => readonly WebhookEndpoint[] }>;
