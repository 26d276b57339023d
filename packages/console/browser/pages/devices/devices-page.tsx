import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import type { PageProps } from '../../app/page-list.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ControlDevicesListOutputDevicesItem as DeviceRow } from '../../client/control.ts';
import { Empty } from '../../design/empty.tsx';
import { Failure } from '../../design/failure.tsx';
import { FilterField } from '../../design/filter-field.tsx';
import { matches } from '../../design/matches.ts';
import { counted } from '../../design/words.ts';
import { isUnasked } from './device-facts.tsx';
import { DeviceGrid } from './device-grid.tsx';
import { DeviceView } from './device-view.tsx';
import { PictureLine } from './picture-line.ts';

const everyMs = 2_000;
/** Of six connections that a browser holds to a service. */
const mostAtOnce = 3;

/** Cameras and sensors as they are now: all of them, or one: `#/devices/lobby`. */
export function page({ place }: PageProps): VNode {
  const { service, router } = useApp();
  const [line] = useState(() => new PictureLine(mostAtOnce));
  const { value, error } = usePolled(
    (signal) => service.control.devices.list({}, { signal }),
    { everyMs },
    [],
  );
  const devices = value?.devices;
  const [name] = place.rest;
  const query = place.query['q'] ?? '';
  const shown = devices?.filter((one) => matches(query, [one.name, one.description, one.status, one.kind]));
  const at = shown?.findIndex((one) => one.name === name) ?? -1;
  const chosen = devices?.find((one) => one.name === name);
  useKeys(
    [
      { keys: 'j', says: 'next device', by: 1 },
      { keys: 'k', says: 'device before', by: -1 },
    ].map(({ keys, says, by }) => ({
      keys,
      says,
      press: () => {
        const next = shown?.[at === -1 ? 0 : at + by];
        if (next) router.go(toFragment('devices', [next.name], { q: query }));
      },
    })),
  );
  useEffect(() => {
    if (name !== undefined) document.getElementById('main')?.scrollTo(0, 0);
  }, [name]);
  return (
    <div class="page">
      {name === undefined && (
        <header>
          <h1>Devices</h1>
          <span class="soft" role="status">
            {devices && devices.length > 0 && toSummary(devices)}
          </span>
          <div class="more">
            {devices && devices.length > 1 && <FilterField value={query} what="devices" />}
          </div>
        </header>
      )}
      {error !== undefined && !devices && <Failure title="The devices could not be read" error={error} />}
      {devices?.length === 0 && <NoDevices />}
      {name !== undefined && devices && !chosen && <Unknown name={name} />}
      {chosen && <DeviceView key={chosen.name} device={chosen} line={line} />}
      {name === undefined && shown && <DeviceGrid devices={shown} line={line} />}
      {name === undefined && shown?.length === 0 && devices?.length !== 0 && (
        <Empty title={`No device matches “${query}”`} />
      )}
    </div>
  );
}

function toSummary(devices: readonly DeviceRow[]): string {
  const away = devices.filter((one) => one.status !== 'online' && !isUnasked(one)).length;
  return `${counted(devices.length, 'device')}${away === 0 ? '' : `, ${away} not online`}`;
}

function NoDevices(): VNode {
  return (
    <Empty
      title="There is no camera and no sensor"
      code={
        "app.camera('lobby', { description: 'The waiting room.', maxFps: 10 });\napp.sensor('thermometer');"
      }
    >
      A device sends pictures and readings here, and people, agents and watchers look at them. This declares
      two:
    </Empty>
  );
}

function Unknown({ name }: { readonly name: string }): VNode {
  return (
    <Empty title={`There is no device “${name}”`}>
      It may have been declared under another name. <a href={toFragment('devices')}>See all devices</a>
    </Empty>
  );
}
