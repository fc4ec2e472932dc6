import { catalogue } from '../../lib/words.ts';
import { labelOf } from '../../words/command-buttons.ts';

/** What people read of devices: in chats, on cards and on devices. Names, ids and codes are given in markdown. */
export const deviceWords = catalogue({
  en: {
    menu: {
      device: {
        description: 'Pair a phone, a browser or a script',
        argument: '[NAME]',
        help: '`/device NAME`, `/devices`: your phones, browsers and scripts',
      },
      devices: { description: 'Show your devices, or end one', argument: '[revoke ID]', help: '' },
    },
    noGateway:
      'No device can be paired: the gateway is off. The operator turns it on with `gateway.enabled` in my config.',
    notHere: 'Write that to me in a chat of our own: the code is not for a group to read.',
    notFromDevice: 'Ask for that in another chat, not on a device that was paired itself.',
    unknownPerson: ({ id, key }: { readonly id: string; readonly key: string }) =>
      `You may talk to me because everybody may; devices are only for people I know. An owner can let you in by your id: ${id} in ${key} of my config. Then ask me again.`,
    full: ({ most }: { readonly most: number }) =>
      `You have ${most} devices, which is the limit. End one first: \`/devices\` shows them.`,
    code: ({ name = 'the device', code, lifetime }: CodeWords) =>
      [
        `📱 Type this code on ${name}: ${code}`,
        `It is good once, for ${lifetime}. Anybody with it can talk to me as you, and offer me tools: show it to nobody.`,
      ].join('\n\n'),
    paired: ({ name, undo }: { readonly name: string; readonly undo: string }) =>
      `📱 Paired: ${name}. If that was not you, end it with ${undo}.`,
    usage: 'Say `/devices`, or `/devices revoke ID`.',
    codeWaits: ({ name = 'a device', person, time }: CodeWaits) =>
      `📱 A code for ${name} of ${person} can be used until ${time}`,
    buttonCancelCode: 'Cancel',
    codeCancelled: 'Cancelled: that code pairs no device any more.',
    noSuchCode: 'That code no longer waits: it was used, replaced, or its time is over.',
    noSuchDevice: 'You have no device with that id. `/devices` shows those that you have.',
    revoked: ({ name }: { readonly name: string }) => `Revoked: ${name} is cut off.`,
    list: ({ lines, canPair }: { readonly lines: readonly string[]; readonly canPair: boolean }) =>
      lines.length === 0
        ? 'No device of yours is paired. `/device NAME` pairs one.'
        : ['**Your devices**', ...lines, ...(canPair ? ['', 'Pair another with `/device NAME`.'] : [])].join('\n'),
    deviceLine: ({ name, isBrowser, pairedOn, seen }: DeviceLine) =>
      isBrowser ? `${name} (a browser), signed in on ${pairedOn}, ${seen}` : `${name}, paired on ${pairedOn}, ${seen}`,
    buttonDisconnect: ({ number }: { readonly number: number }) => `Disconnect ${number}`,
    buttonDisconnectNamed: ({ name }: { readonly name: string }) => labelOf(`Disconnect ${name}`),
    buttonKeep: 'Keep',
    askDisconnect: ({ name, isBrowser }: { readonly name: string; readonly isBrowser: boolean }) =>
      `Disconnect ${name}? It is cut off at once, and ${isBrowser ? 'you have to sign in there again' : 'has to be paired again'}.`,
    // A list aside from the chats.
    listed: {
      browser: 'Browser',
      device: 'Device',
      current: 'This browser',
      of: ({ person }: { readonly person: string }) => `Of ${person}`,
      signedIn: 'Signed in',
      pairedAt: 'Paired',
      seen: 'Last connected',
      disconnect: 'Disconnect',
      askDisconnect: ({ name, isBrowser }: { readonly name: string; readonly isBrowser: boolean }) =>
        `Cut off ${name} at once? ${isBrowser ? 'Its person can sign in there again.' : 'It has to be paired again.'}`,
    },
    connectedNow: 'connected now',
    neverConnected: 'never connected',
    lastConnectedAt: ({ time }: { readonly time: string }) => `last connected at ${time}`,
    lastConnectedOn: ({ day }: { readonly day: string }) => `last connected on ${day}`,
    toolOnDevice: ({ tool, device }: { readonly tool: string; readonly device: string }) =>
      `${tool} on the device ${device}`,
    notStored: 'This could not be stored, and will not be answered. Say it again.',
    runFailed: 'The run failed.',
    notKept: 'It is no longer kept.',
    fileNotKept: 'The file could not be kept for devices.',
    closed: 'The gateway is closed. It opens with the next start.',
    notStarted: ({ why }: { readonly why: string }) => `The gateway could not start: ${why}`,
    portClosed: ({ host, port }: Address) => `The gateway is not open at ${host}:${port}: \`/status\` says why.`,
    portTaken: ({ host, port }: Address) => `Another program listens at ${host}:${port}. Change gateway.host or port.`,
    cannotListen: ({ why, host, port }: Address & { readonly why: string }) =>
      `${why}. It cannot listen at ${host}:${port}. Change gateway.host or port.`,
  },
  zh: {
    menu: {
      device: {
        description: '配对手机、浏览器或脚本',
        argument: '[名称]',
        help: '`/device 名称`、`/devices`：你的手机、浏览器和脚本',
      },
      devices: { description: '查看你的设备，或撤销其中一个', argument: '[revoke ID]', help: '' },
    },
    noGateway: '无法配对设备：网关已关闭。运维人员可以在配置中用 `gateway.enabled` 打开它。',
    notHere: '在和我的私聊里发这条命令：配对码不适合在群里公开。',
    notFromDevice: '换一个聊天再试：不能在已配对的设备上操作。',
    unknownPerson: ({ id, key }) =>
      `你能和我对话，是因为任何人都可以；设备只供我认识的人使用。所有者可以允许你：在配置的 ${key} 中加入你的 ID ${id}。之后再来找我。`,
    full: ({ most }) => `你已有 ${most} 台设备，达到上限。先撤销一个：\`/devices\` 会列出它们。`,
    code: ({ name, code, lifetime }) =>
      [
        `📱 在${name === undefined ? '设备' : ` ${name} `}上输入这个配对码：${code}`,
        `配对码只能用一次，${lifetime}内有效。拿到它的人可以用你的身份和我对话，还能向我提供工具：不要给任何人看。`,
      ].join('\n\n'),
    paired: ({ name, undo }) => `📱 已配对：${name}。如果不是你本人操作，用 ${undo} 撤销。`,
    usage: '发送 `/devices`，或 `/devices revoke ID`。',
    codeWaits: ({ name = '设备', person, time }) => `📱 ${person} 给 ${name} 的配对码在 ${time} 前可用`,
    buttonCancelCode: '取消',
    codeCancelled: '已取消：这个配对码不再能配对设备。',
    noSuchCode: '这个配对码已不再等待：已使用、已被替换或已过期。',
    noSuchDevice: '你的设备中没有这个 ID。`/devices` 会列出你的设备。',
    revoked: ({ name }) => `已撤销：${name} 的连接已切断。`,
    list: ({ lines, canPair }) =>
      lines.length === 0
        ? '你还没有配对设备。用 `/device 名称` 配对一个。'
        : ['**你的设备**', ...lines, ...(canPair ? ['', '用 `/device 名称` 再配对一个。'] : [])].join('\n'),
    deviceLine: ({ name, isBrowser, pairedOn, seen }) =>
      isBrowser ? `${name}（浏览器），登录于 ${pairedOn}，${seen}` : `${name}，配对于 ${pairedOn}，${seen}`,
    buttonDisconnect: ({ number }) => `断开 ${number}`,
    buttonDisconnectNamed: ({ name }) => labelOf(`断开 ${name}`),
    buttonKeep: '保留',
    askDisconnect: ({ name, isBrowser }) =>
      `断开 ${name}？连接会立即切断，之后要${isBrowser ? '在那里重新登录' : '重新配对'}。`,
    listed: {
      browser: '浏览器',
      device: '设备',
      current: '当前浏览器',
      of: ({ person }) => `属于 ${person}`,
      signedIn: '登录于',
      pairedAt: '配对于',
      seen: '上次连接',
      disconnect: '断开',
      askDisconnect: ({ name, isBrowser }) =>
        `立即断开 ${name} 吗？${isBrowser ? '本人可以在那里重新登录。' : '之后要重新配对。'}`,
    },
    connectedNow: '当前在线',
    neverConnected: '从未连接',
    lastConnectedAt: ({ time }) => `上次连接于 ${time}`,
    lastConnectedOn: ({ day }) => `上次连接于 ${day}`,
    toolOnDevice: ({ tool, device }) => `设备 ${device} 上的 ${tool}`,
    notStored: '这条消息无法存储，不会得到回答。再发一次。',
    runFailed: '这次运行失败了。',
    notKept: '已不再保存。',
    fileNotKept: '无法为设备保存这个文件。',
    closed: '网关已关闭，下次启动时会再打开。',
    notStarted: ({ why }) => `网关无法启动：${why}`,
    portClosed: ({ host, port }) => `网关没有在 ${host}:${port} 打开：\`/status\` 会说明原因。`,
    portTaken: ({ host, port }) => `${host}:${port} 已被另一个程序占用。修改 gateway.host 或 gateway.port。`,
    cannotListen: ({ why, host, port }) => `无法监听 ${host}:${port}：${why}。修改 gateway.host 或 gateway.port。`,
  },
});

interface CodeWords {
  /** Undefined if it was given none. */
  readonly name: string | undefined;
  readonly code: string;
  readonly lifetime: string;
}

interface CodeWaits {
  /** Undefined if it was given none. */
  readonly name: string | undefined;
  readonly person: string;
  readonly time: string;
}

interface DeviceLine {
  readonly name: string;
  readonly isBrowser: boolean;
  readonly pairedOn: string;
  readonly seen: string;
}

/** Where the gateway should listen. */
interface Address {
  readonly host: string;
  readonly port: number;
}
