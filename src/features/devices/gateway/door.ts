import { isDeepStrictEqual } from 'node:util';
import type { ChannelHost } from '../../../contract.ts';
import { accountOf, deviceChannel } from '../../../conversation/access/access.ts';
import type { ChannelPort, ConfigChange, DoorPlaces, Refused, Visitor, WebDoor } from '../../../feature-points.ts';
import { messageOf } from '../../../lib/plain-text.ts';
import type { InLanguage } from '../../../lib/words.ts';
import { type Browsers, createBrowsers } from '../browsers.ts';
import type { DeviceBook, DevicesCore } from '../device-book.ts';
import { type DeviceSettings, deviceSettings } from '../settings.ts';
import { deviceWords } from '../words.ts';
import { createGate, credentialsOf, type Gate } from './credentials.ts';
import { placesOf } from './door-places.ts';
import type { Admitted, Gateway } from './gateway.ts';
import type { Listening, Port } from './port.ts';

/** How long until the port is tried again, in ms, while it is taken. */
const again = 5_000;
/** Where browsers are let in while the gateway is off. */
const loopback = '127.0.0.1';

/**
 * The gateway's port. With `gateway.enabled` it is open at the address of the config, to devices and browsers. Without, it
 * opens on this machine once it is asked for, and only for browsers; the first of them loads the gateway.
 */
export class Door implements WebDoor {
  readonly #core: DevicesCore;
  readonly #devices: DeviceBook;
  readonly #gate: Gate;
  readonly #browsers: Browsers;
  readonly #started = Promise.withResolvers<ChannelPort>();
  /** Whether browsers are to be let in though the gateway is off. */
  #isWanted = false;
  /** Whether no browser is let in, also where the gateway is on. */
  #isClosed = false;
  #port: Port | undefined;
  #gateway: Gateway | undefined;
  /** The port of the config, if it was taken. */
  #missed: number | undefined;
  /** Opens and closes one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #attaching: Promise<Gateway> | undefined;
  #callOff: (() => void) | undefined;

  constructor(core: DevicesCore, devices: DeviceBook) {
    this.#core = core;
    this.#devices = devices;
    this.#gate = createGate({ ...core, letsBrowsersIn: () => !this.#isClosed }, devices);
    this.#browsers = createBrowsers({ ...core, devices, gatewayNow: () => this.#gateway });
  }

  get gateway(): Gateway | undefined {
    return this.#gateway;
  }

  /** Makes the gateway, if it is on. Its channel then opens the port. */
  async prepare(): Promise<void> {
    if (this.#core.own.gateway.enabled) await this.#makeConfigured();
  }

  async start(channels: ChannelPort): Promise<void> {
    this.#started.resolve(channels);
    await this.#browsers.tidy();
  }

  hasBrowsers(): boolean {
    return this.#devices.all().some(({ isBrowser }) => isBrowser);
  }

  open(): Promise<DoorPlaces | Refused> {
    this.#isWanted = true;
    this.#isClosed = false;
    return this.#inTurn(async () => {
      const { gateway } = this.#core.own;
      const refusal = gateway.enabled ? undefined : await this.#openForBrowsers();
      const address = this.#port?.address;
      if (refusal !== undefined) return { refusal };
      if (address !== undefined) return placesOf(address, this.#missed, gateway);
      return { refusal: (language) => deviceWords[language].portClosed(gateway) };
    });
  }

  close(): Promise<void> {
    this.#isWanted = false;
    this.#isClosed = true;
    return this.#inTurn(async () => {
      if (this.#core.own.gateway.enabled) {
        for (const { id } of this.#devices.all().filter(({ isBrowser }) => isBrowser)) this.#gateway?.hangUpOn(id);
        return;
      }
      await this.#shut();
      this.#core.health.forget(deviceChannel);
    });
  }

  admit(...asked: Parameters<WebDoor['admit']>): ReturnType<WebDoor['admit']> {
    return this.#browsers.admit(...asked);
  }

  visitorOf(request: Request): Visitor | undefined {
    const admission = this.#gate.admit(credentialsOf(request), false);
    // A program that was paired has the gateway's own protocol, and no further way in.
    if ('reason' in admission || !admission.device.isBrowser) return undefined;
    return { device: admission.device, principal: accountOf(admission.device) };
  }

  dismiss({ device }: Visitor): Promise<void> {
    return this.#browsers.dismiss(device);
  }

  sessionsOf({ principal }: Visitor): Promise<readonly string[]> {
    const { stored, accounts } = this.#core;
    return stored.sessions.ids(accounts.accountsOf(principal));
  }

  async beginSession({ device, principal }: Visitor, id: string): Promise<boolean> {
    const { stored, accounts, clock, own } = this.#core;
    const principals = accounts.accountsOf(principal);
    const most = own.gateway.max_sessions_per_person;
    const claim = { id, principal: device.principal, principals, most, at: clock.now() };
    return principals.includes((await stored.sessions.claim(claim)) ?? '');
  }

  /** Devices reconnect by themselves. */
  reload({ from, to }: ConfigChange): Promise<void> {
    const [before, now] = [from, to].map((config) => partsOf(deviceSettings.read(config), this.#isWanted));
    if (isDeepStrictEqual(before, now)) return Promise.resolve();
    return this.#inTurn(async () => {
      await this.#shut();
      if (this.#core.own.gateway.enabled) {
        const { channel } = await this.#makeConfigured();
        await (await this.#started.promise).attach(...channel);
      } else {
        this.#core.health.forget(deviceChannel);
        if (this.#isWanted) await this.#openForBrowsers();
      }
    });
  }

  /** After the channels have ended. */
  async stop(): Promise<void> {
    await this.#port?.close();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #shut(): Promise<void> {
    const port = this.#port;
    this.#port = undefined;
    await this.#attaching?.catch(() => {});
    const gateway = this.#gateway;
    this.#gateway = undefined;
    this.#attaching = undefined;
    if (gateway !== undefined) await (await this.#started.promise).detach(deviceChannel);
    gateway?.close();
    await port?.close();
  }

  /** The gateway at the address of the config. */
  async #makeConfigured(): Promise<Gateway> {
    const [{ createGateway }, { createPort }] = await Promise.all([import('./gateway.ts'), import('./port.ts')]);
    const port = createPort(() => gateway.answering(), this.#core.log);
    const gateway: Gateway = createGateway(this.#core, this.#admitted, {
      open: (host) => this.#openConfigured(port, host),
      close: () => this.#closeWith(port, gateway),
    });
    this.#missed = undefined;
    this.#gateway = gateway;
    this.#port = port;
    return gateway;
  }

  /** Never rejects: reports failures as health, and retries until the port is free. */
  async #openConfigured(port: Port, host: ChannelHost): Promise<void> {
    const { gateway } = this.#core.own;
    try {
      await port.open(listeningAt(gateway, gateway));
      host.reportHealth({ status: 'connected', account: port.address });
    } catch (error) {
      host.reportHealth({ status: 'failing', reason: listenFault(error, gateway) });
      this.#callOff = host.clock.after(again, () => void this.#openConfigured(port, host));
    }
  }

  async #closeWith(port: Port, gateway: Gateway): Promise<void> {
    this.#callOff?.();
    await port.close(() => gateway.hangUp());
  }

  /** On this machine, at the port of the config or, if that is taken, at a free one. Resolves with why it cannot. */
  async #openForBrowsers(): Promise<InLanguage | undefined> {
    if (this.#port?.address !== undefined) return undefined;
    const { gateway } = this.#core.own;
    const { createPort } = await import('./port.ts');
    const port: Port = createPort(async () => (await this.#attached(port)).answering(), this.#core.log);
    const here = { host: loopback, port: gateway.port };
    const fault = await openOneOf(portsFrom(gateway.port), port, gateway);
    if (fault !== undefined) return listenFault(fault.error, here);
    const account = port.address;
    this.#missed = gateway.port === 0 || account?.endsWith(`:${gateway.port}`) ? undefined : gateway.port;
    this.#port = port;
    this.#core.log.info({ channel: deviceChannel, account }, 'browsers may come in');
    if (this.hasBrowsers()) await this.#attached(port);
    return undefined;
  }

  /** The gateway behind the port that is open for browsers. */
  #attached(port: Port): Promise<Gateway> {
    this.#attaching ??= this.#attach(port).catch((error: unknown) => {
      this.#attaching = undefined;
      throw error;
    });
    return this.#attaching;
  }

  async #attach(port: Port): Promise<Gateway> {
    const { createGateway } = await import('./gateway.ts');
    const channels = await this.#started.promise;
    if (this.#port !== port || this.#core.ending.aborted) throw new Error('the port was closed meanwhile');
    const gateway: Gateway = createGateway(this.#core, this.#admitted, {
      open: async (host) => host.reportHealth({ status: 'connected', account: port.address }),
      close: () => this.#closeWith(port, gateway),
    });
    this.#gateway = gateway;
    try {
      await channels.attach(...gateway.channel);
    } catch (error) {
      this.#gateway = undefined;
      gateway.close();
      throw error;
    }
    return gateway;
  }

  get #admitted(): Admitted {
    return { devices: this.#devices, gate: this.#gate };
  }
}

/** Opens the first that can be had. */
async function openOneOf(
  ports: readonly number[],
  door: Port,
  settings: DeviceSettings['gateway'],
): Promise<{ readonly error: unknown } | undefined> {
  let fault: { readonly error: unknown } | undefined;
  for (const port of ports) {
    try {
      await door.open(listeningAt(settings, { host: loopback, port }));
      return undefined;
    } catch (error) {
      fault ??= { error };
    }
  }
  return fault;
}

/** If another program has the first: a browser's key belongs to the port, so it is the same one each time where possible. */
function portsFrom(port: number): readonly number[] {
  const others = port === 0 ? [] : [10, 20, 30, 40].map((more) => port + more).filter((other) => other < 65_536);
  return [port, ...others, 0];
}

function listeningAt(
  { hello_secs }: DeviceSettings['gateway'],
  { host, port }: Pick<DeviceSettings['gateway'], 'host' | 'port'>,
): Listening {
  return { host, port, hello: hello_secs * 1000 };
}

/** Why the port cannot be opened. */
function listenFault(error: unknown, { host, port }: Pick<DeviceSettings['gateway'], 'host' | 'port'>): InLanguage {
  const why = messageOf(error);
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return (language) =>
    isTaken ? deviceWords[language].portTaken({ host, port }) : deviceWords[language].cannotListen({ why, host, port });
}

/** The settings that need a new gateway. All others are read when used. */
function partsOf({ gateway, remote_tools }: DeviceSettings, isWanted: boolean) {
  const { enabled, host, port, allowed_hosts, allowed_origins, max_frame_bytes, hello_secs } = gateway;
  const own = { host: enabled ? host : loopback, enabled, port, max_frame_bytes, hello_secs };
  return (enabled || isWanted) && { ...own, allowed_hosts, allowed_origins, remote_tools };
}
