export { problemText } from './answer.ts';
export { createLog, type LogOptions } from './create-log.ts';
export { createDoor, type Door, type DoorOptions } from './door.ts';
export { type Listening, type ListenOptions, listen } from './listen.ts';
export { type ClosableOutbound, createOutbound, type OutboundOptions } from './outbound.ts';
