export { createOutbox, type OutboxOptions } from './create-outbox.ts';
export { notifyRules } from './notify/check-notify.ts';
export {
  createNotices,
  type NoticedApproval,
  type NoticedFigures,
  type NoticedRun,
  type NoticeOptions,
  type Notices,
} from './notify/notices.ts';
export {
  type NotifyDeclaration,
  type NotifyEvent,
  type NotifyOptions,
  notify,
  notifyEvents,
} from './notify/notify.ts';
export { outboxFeature } from './outbox-feature.ts';
