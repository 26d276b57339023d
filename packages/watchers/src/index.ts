export { type CreateWatchersOptions, createWatchers } from './create-watchers.ts';
export { type WatchDeclaration, type WatchOptions, watch } from './declaration/watch.ts';
export { watchRules } from './declaration/watch-rules.ts';
export { type WatcherToday, watcherToday } from './declaration/watcher-today.ts';
export {
  type RehearsedLook,
  rehearseWatch,
  type ShownSight,
  type WatchRehearsal,
} from './rehearsal/rehearse-watch.ts';
export { watchersFeature } from './watchers-feature.ts';
