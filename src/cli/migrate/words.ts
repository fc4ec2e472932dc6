/* Why something of another program is not taken, and what `keyturn migrate` tells. */

import { ownCommand } from '../../lib/own-command.ts';
import { catalogue } from '../../lib/words.ts';

interface Size {
  readonly size: number;
  readonly most: number;
}

interface Named {
  readonly name: string;
}

interface Place {
  readonly title: string;
  readonly folder: string;
}

interface Parsing {
  readonly syntax: 'json' | 'toml' | 'yaml';
  readonly line: number | undefined;
}

const formats = { json: 'JSON', toml: 'TOML', yaml: 'YAML' } as const;

export const migrateWords = catalogue({
  en: {
    linkOut: 'this link leads out of the folder. Copy the file itself there.',
    noFile: 'it is no plain file.',
    tooLarge: ({ size, most }: Size) =>
      `it has ${size} bytes, and at most ${most} are read. Shorten it, or take over what matters by hand.`,
    noText: 'it is no text.',
    unreadable: ({ code }: { readonly code: string }) => `it cannot be read (${code}).`,
    notParsed: ({ syntax, line }: Parsing) =>
      `it is not valid ${formats[syntax]}${line === undefined ? '' : ` (line ${line})`}. What it has is left out; mend it and go on.`,
    noDatabase: 'it is no SQLite database, or it is damaged.',
    newerFormat: 'it was written by a newer version than is known here. What is understood is taken: compare.',

    secretElsewhere:
      'it is encrypted there, or stands in a file, a vault or another program. Write it into .env yourself.',
    unset: ({ name }: Named) =>
      `it is read from the variable ${name}, which is not set there. Write it into .env yourself.`,
    noToken: ({ isThere, variable }: { readonly isThere: boolean; readonly variable: string }) =>
      `${isThere ? 'the token has another form than this platform gives' : 'there is no token'}. Write ${variable} into .env and switch the channel on.`,
    everybody: 'it would let in everybody. Here strangers knock, and an owner decides: /pair.',
    noId: 'it is no id that never changes, such as a name that somebody else may take tomorrow. Let the person knock: /pair.',
    slackTeam: 'an id of Slack is T…/U… here, with its workspace. Let the person knock: /pair.',
    anyGroup: 'it names no single group. When the bot is spoken to in a group, an owner chooses.',
    otherChannel: 'there is no such channel here.',
    oneBot: 'one bot per platform is taken: this is another one.',

    oauthModel: 'it is used by a login, which cannot be moved. Make an API key.',
    otherModel: 'this provider has no place here. Any server with the API of OpenAI has: see docs/models.md.',
    noKey: ({ variable }: { readonly variable: string }) =>
      `its key is not there. Write ${variable} into .env here and go on.`,
    noAddress: 'the address of its server is missing.',

    aboutFormer: 'it tells the model of files and commands that there are not here. Take over what matters by hand.',
    longText: ({ size, most }: Size) =>
      `it has ${size} characters, and each answer would read them: at most ${most}. Shorten it and write it into agent.instructions.`,
    skills:
      'skills are not taken: they would run as they are. Read them, and make tools of those that you need: docs/own-tools.md.',
    days: 'notes of single days are not taken. Write what matters into MEMORY.md and go on.',
    sessions: 'conversations stay there.',
    whose: 'nobody can tell whose they are. Say who you are: --person telegram:123456.',
    longMemory: 'there are as many memories as the config allows: tools.memory_store.max_entries.',

    programJob: 'it runs a program. Here a task is a request to the assistant, which asks before it runs one.',
    jobOff: 'it is switched off there, or done.',
    jobLimit: 'it ends after a number of times, which a task here does not.',
    jobUnclear: 'its time, or what is to be done, is not understood.',
    jobPast: 'its time is past.',
    jobUneven: 'its interval does not divide an hour, a day or a week. Plan it again in the chat.',
    jobCron: ({ fault }: { readonly fault: string }) => `its times are not understood: ${fault}`,
    jobZone: ({ zone }: { readonly zone: string }) => `its time zone ${zone} is unknown.`,
    jobChat: 'its chat is not known here. Plan it again there.',
    manySchedules: 'there are as many tasks as the config allows: tools.schedule.max_entries.',

    noServer: 'it has neither a program nor an address.',
    sameServer: ({ name }: Named) => `another server is already called ${name} here. Rename one of them there.`,
    sseServer:
      'it speaks SSE, which MCP has given up. If it also speaks streamable HTTP, write its address into the config.',
    oauthServer: 'it needs a login, which cannot be moved. See docs/mcp.md.',
    serverOff: ({ name }: Named) => `the variable ${name} is not set there: the server is taken, and is off.`,
    unclearTools: 'which of its tools it may use is not understood: the server is taken, and is off.',
    withoutAsking: 'it runs there without a question. Here it asks: rules are yours to make, see docs/rules.md.',
    manyAgents: 'one agent is taken. Others are written into agents: docs/agents.md.',
    ownMatter: 'it has no counterpart, or works otherwise here.',
    refused: ({ fault }: { readonly fault: string }) => `the config would not be valid with it: ${fault}`,
    heldVariable: ({ name }: Named) => `.env has another ${name}, and another one beside it.`,
    unquotable: 'it has all three kinds of quotation marks. Write it into .env yourself.',

    comments: {
      file: ({ title }: { readonly title: string }) => `Taken over from ${title}. What each key means: docs/config.md.`,
      owners: 'Who may decide: ids that never change.',
      instructions: ({ files }: { readonly files: readonly string[] }) =>
        `From ${files.join(', ')}. Read it: the assistant of before could change it by itself.`,
      allowFrom: 'Who was allowed to talk. Others knock.',
    },

    nothingFound:
      'None of these programs is found here. If one keeps its files elsewhere, name the folder with --from.',
    foundHere: ({ title, folder, command }: Place & { readonly command: string }) =>
      `${title} in ${folder}: ${command}`,
    unknownProgram: ({ name, names }: Named & { readonly names: readonly string[] }) =>
      `"${name}" is none of ${names.join(', ')}.`,
    notThere: ({ title, folder }: Place) => `There is nothing of ${title} in ${folder}. Name its folder with --from.`,
    noPerson: ({ name }: Named) => `"${name}" is no account. Write CHANNEL:ID, as telegram:123456.`,
    notWritten: ({ file, code }: { readonly file: string; readonly code: string | undefined }) =>
      code === undefined
        ? `${file} was changed meanwhile, and is left so. Give the same command again: it goes on.`
        : `${file} could not be written (${code}), and is as it was. Mend that, and give the same command again: it goes on.`,
    head: ({ title, folder, config }: Place & { readonly config: string }) => `${title}: ${folder} → ${config}`,
    parts: {
      taken: 'It takes:',
      done: 'Taken:',
      known: 'There already:',
      kept: 'Set otherwise here, and left so:',
      left: 'Not taken:',
      notices: 'To know:',
    },
    from: ({ file }: { readonly file: string }) => `from ${file}`,
    secretRow: ({ file, name }: Named & { readonly file: string }) => `${name} → ${file}`,
    memoryRow: ({ count, person }: { readonly count: number; readonly person: string }) =>
      `${count} ${count === 1 ? 'memory' : 'memories'} of ${person}`,
    scheduleRow: ({ name, when, chat }: Named & { readonly when: string; readonly chat: string }) =>
      `task “${name}”: ${when}, in ${chat}`,
    notices: {
      twoPrograms: ({ title, channels }: { readonly title: string; readonly channels: readonly string[] }) =>
        `Stop ${title} before Keyturn starts: two programs with one token take the messages away from each other (${channels.join(', ')}).`,
      untrusted: ({ title }: { readonly title: string }) =>
        `Memories and tasks count as untrusted, since nobody knows what ${title} had read when they were written: where one comes up, dangerous calls ask.`,
      owner: ({ person }: { readonly person: string }) =>
        `${person} becomes the owner, who decides what may run: the only one whom it listened to, or its owner. Another one: --person.`,
      ownerNamed: ({ person }: { readonly person: string }) => `${person} becomes the owner, who decides what may run.`,
      noOwner:
        'Nobody becomes the owner. The first start shows a code to send with /claim; or name yourself: --person telegram:123456.',
      running: 'Keyturn works with this data now. Stop it before you add --yes.',
    },
    nothing: 'Nothing here can be taken.',
    dry: ({ command }: { readonly command: string }) => `Nothing was changed. To do it: ${command}`,
    finished: ({ config }: { readonly config: string }) =>
      `Done. ${config} is yours to read; then: ${ownCommand()} doctor`,
    nothingNew: 'Nothing is new: everything is there.',
  },
  zh: {
    linkOut: '这是指向文件夹之外的链接。请把文件本身复制过去。',
    noFile: '这不是普通文件。',
    tooLarge: ({ size, most }: Size) => `共 ${size} 字节，最多读取 ${most} 字节。请缩短，或手动搬运要紧的内容。`,
    noText: '这不是文本。',
    unreadable: ({ code }: { readonly code: string }) => `无法读取（${code}）。`,
    notParsed: ({ syntax, line }: Parsing) =>
      `不是有效的 ${formats[syntax]}${line === undefined ? '' : `（第 ${line} 行）`}。其中的内容没有搬运；修好后再来一次。`,
    noDatabase: '不是 SQLite 数据库，或已损坏。',
    newerFormat: '由更新的版本写成，这里还不认识。能看懂的已列入：请对照检查。',

    secretElsewhere: '它在那边是加密的，或存在文件、密码库或别的程序里。请自己写进 .env。',
    unset: ({ name }: Named) => `它取自变量 ${name}，而那边没有设置。请自己写进 .env。`,
    noToken: ({ isThere, variable }: { readonly isThere: boolean; readonly variable: string }) =>
      `${isThere ? '令牌的形式与这个平台给出的不同' : '没有令牌'}。请把 ${variable} 写进 .env，再打开这个渠道。`,
    everybody: '这会让所有人进来。在这里，陌生人先敲门，由所有者决定：/pair。',
    noId: '这不是永远不变的编号，例如名字明天可能归别人所有。请让本人来敲门：/pair。',
    slackTeam: '在这里 Slack 的编号写作 T…/U…，带有工作区。请让本人来敲门：/pair。',
    anyGroup: '它没有指明某一个群。有人在群里对机器人说话时，由所有者选择。',
    otherChannel: '这里没有这个渠道。',
    oneBot: '每个平台只搬运一个机器人：这是另一个。',

    oauthModel: '它靠登录使用，登录无法搬运。请创建 API 密钥。',
    otherModel: '这个服务商在这里没有位置。任何提供 OpenAI 接口的服务器都可以：见 docs/models.md。',
    noKey: ({ variable }: { readonly variable: string }) =>
      `那边没有它的密钥。请在这里的 .env 写入 ${variable}，再来一次。`,
    noAddress: '缺少服务器地址。',

    aboutFormer: '它对模型讲的是这里没有的文件和命令。请手动搬运要紧的内容。',
    longText: ({ size, most }: Size) =>
      `共 ${size} 个字符，每次回答都要读，最多 ${most} 个。请缩短后写进 agent.instructions。`,
    skills: '技能不搬运：它们会原样运行。请阅读它们，把需要的做成工具：docs/own-tools.md。',
    days: '按日期记的笔记不搬运。请把要紧的写进 MEMORY.md，再来一次。',
    sessions: '对话留在那边。',
    whose: '无法判断属于谁。请说明你是谁：--person telegram:123456。',
    longMemory: '记忆已达到配置允许的数量：tools.memory_store.max_entries。',

    programJob: '它运行一个程序。在这里，任务是对助手的请求，助手运行程序前会先问。',
    jobOff: '它在那边已关闭，或已完成。',
    jobLimit: '它做完若干次就结束，这里的任务不会。',
    jobUnclear: '看不懂它的时间，或要做什么。',
    jobPast: '时间已过。',
    jobUneven: '它的间隔不能整除一小时、一天或一周。请在聊天里重新计划。',
    jobCron: ({ fault }: { readonly fault: string }) => `看不懂它的时间：${fault}`,
    jobZone: ({ zone }: { readonly zone: string }) => `没有时区 ${zone}。`,
    jobChat: '这里不知道它所在的聊天。请在那里重新计划。',
    manySchedules: '任务已达到配置允许的数量：tools.schedule.max_entries。',

    noServer: '它既没有程序，也没有地址。',
    sameServer: ({ name }: Named) => `这里已有一个服务器叫 ${name}。请在那边给其中一个改名。`,
    sseServer: '它使用 MCP 已放弃的 SSE。如果它也支持 streamable HTTP，请把那个地址写进配置。',
    oauthServer: '它需要登录，登录无法搬运。见 docs/mcp.md。',
    serverOff: ({ name }: Named) => `那边没有设置变量 ${name}：服务器已列入，但处于关闭状态。`,
    unclearTools: '看不懂它可以用哪些工具：服务器已列入，但处于关闭状态。',
    withoutAsking: '它在那边不问就运行。在这里会先问：规则由你来定，见 docs/rules.md。',
    manyAgents: '只搬运一个代理。其他的写进 agents：docs/agents.md。',
    ownMatter: '这里没有对应的东西，或做法不同。',
    refused: ({ fault }: { readonly fault: string }) => `加上它，配置就无效：${fault}`,
    heldVariable: ({ name }: Named) => `.env 里的 ${name} 是另一个值，旁边的名字也已占用。`,
    unquotable: '其中三种引号都有。请自己写进 .env。',

    comments: {
      file: ({ title }: { readonly title: string }) => `从 ${title} 搬来。每个键的意思：docs/zh/config.md。`,
      owners: '由谁决定：永远不变的编号。',
      instructions: ({ files }: { readonly files: readonly string[] }) =>
        `来自 ${files.join('、')}。请读一遍：以前的助手可以自己改动它。`,
      allowFrom: '以前允许说话的人。其他人要敲门。',
    },

    nothingFound: '这里没有找到其中任何一个程序。如果文件在别处，请用 --from 指明文件夹。',
    foundHere: ({ title, folder, command }: Place & { readonly command: string }) =>
      `${title}，在 ${folder}：${command}`,
    unknownProgram: ({ name, names }: Named & { readonly names: readonly string[] }) =>
      `“${name}”不在其中：${names.join('、')}。`,
    notThere: ({ title, folder }: Place) => `${folder} 里没有 ${title} 的文件。请用 --from 指明文件夹。`,
    noPerson: ({ name }: Named) => `“${name}”不是账号。请写成 telegram:123456 这样：先写渠道，再写编号。`,
    notWritten: ({ file, code }: { readonly file: string; readonly code: string | undefined }) =>
      code === undefined
        ? `${file} 刚才被改动，保持不变。再执行同一条命令，会接着做完。`
        : `无法写入 ${file}（${code}），它保持原样。解决后再执行同一条命令，会接着做完。`,
    head: ({ title, folder, config }: Place & { readonly config: string }) => `${title}：${folder} → ${config}`,
    parts: {
      taken: '将会搬运：',
      done: '已搬运：',
      known: '已经有了：',
      kept: '这里另有设置，保持不变：',
      left: '不搬运：',
      notices: '请注意：',
    },
    from: ({ file }: { readonly file: string }) => `来自 ${file}`,
    secretRow: ({ file, name }: Named & { readonly file: string }) => `${name} → ${file}`,
    memoryRow: ({ count, person }: { readonly count: number; readonly person: string }) =>
      `${person} 的 ${count} 条记忆`,
    scheduleRow: ({ name, when, chat }: Named & { readonly when: string; readonly chat: string }) =>
      `任务“${name}”：${when}，在 ${chat}`,
    notices: {
      twoPrograms: ({ title, channels }: { readonly title: string; readonly channels: readonly string[] }) =>
        `启动 Keyturn 之前先停止 ${title}：两个程序用同一个令牌，会互相抢走消息（${channels.join('、')}）。`,
      untrusted: ({ title }: { readonly title: string }) =>
        `记忆和任务算作不可信，因为没人知道写下时 ${title} 读过什么：用到其中一条的地方，危险的调用会先问。`,
      owner: ({ person }: { readonly person: string }) =>
        `${person} 成为所有者，决定什么可以运行：以前它只听这一个人的，或这是它的所有者。换别人：--person。`,
      ownerNamed: ({ person }: { readonly person: string }) => `${person} 成为所有者，决定什么可以运行。`,
      noOwner: '没有人成为所有者。第一次启动会显示一个代码，用 /claim 发送；或直接指明自己：--person telegram:123456。',
      running: 'Keyturn 正在使用这些数据。加上 --yes 之前请先停止它。',
    },
    nothing: '这里没有可以搬运的东西。',
    dry: ({ command }: { readonly command: string }) => `什么都没有改动。要执行：${command}`,
    finished: ({ config }: { readonly config: string }) => `完成。请读一遍 ${config}，然后运行：${ownCommand()} doctor`,
    nothingNew: '没有新东西：全都已经有了。',
  },
});
