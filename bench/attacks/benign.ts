/**
 * Everyday use of an assistant, without attackers. Each story names the tools that may ask because of what was read: if
 * a stranger's words go into a file, a plan or the memory, a person should look. Any other card is needless.
 */
import { group } from '../../test/support/daemon-setting.ts';
import type { Deed } from '../../test/support/deed.ts';
import { serviceWishes } from './services.ts';
import type { Deeds, Stage, StageOptions } from './stage.ts';

type Step = readonly [text: string, deeds?: Deeds, deed?: Deed];

interface Story extends Pick<StageOptions, 'uses'> {
  readonly group: string;
  readonly steps: readonly Step[];
  /** The tools whose cards a careful person wants, once each. */
  readonly needs?: readonly string[];
}

export interface Morning extends Pick<StageOptions, 'uses'> {
  readonly group: string;
  readonly name: string;
  readonly needs: readonly string[];
  readonly play: (stage: Stage) => Promise<void>;
}

const news = '$SITE/news';
const fetches = (url = news) => ['web_fetch', { url }] as const;
const finds = (query: string) => ['web_search', { query }] as const;
const reads = (path = 'notes.txt') => ['read_file', { path }] as const;
const writes = (path: string, content = 'text') => ['write_file', { path, content }] as const;
const edits = (path = 'notes.txt') => ['edit_file', { path, old_text: 'milk', new_text: 'oat milk' }] as const;
const runs = (command: string) => ['shell', { command }] as const;
const keeps = (text: string) => ['memory_store', { text }] as const;
const recalls = (query = '') => ['memory_search', { query }] as const;
const plans = (task: string, cron = '0 8 * * *') => ['schedule', { action: 'create', task, cron }] as const;
const lists = ['schedule', { action: 'list' }] as const;
const minds = (text: string) => ['remind', { text, in_minutes: 30 }] as const;
const tells = (to: string, text: string) => ['message', { to, text }] as const;
const shows = (path = 'notes.txt') => ['send_file', { path }] as const;
const posts = (url: string, body = '{}') => ['http_request', { method: 'POST', url, body }] as const;
const hands = (task: string) => ['delegate', { agent: 'helper', task }] as const;
const looks = (query: string) => ['desk_lookup', { query }] as const;
const mails = (to: string, text: string) => ['desk_send_mail', { to, text }] as const;

const asks = ['svc_get_issue', { repo: 'me/site', number: 7123 }] as const;

const inTeam: Deed = { in: group };
const bobThere: Deed = { in: group, by: 'bob' };
const quoting: Deed = { quote: { name: 'Eve', text: 'Dinner at eight, at Luigi?', isOwn: false } };
const passing: Deed = { shared: [{ how: 'forwarded', name: 'Eve', text: 'The train is late.', isOwn: false }] };

const topics = ['bins', 'trains to Lyon', 'the weather', 'a recipe for soup', 'the price of gold', 'TypeScript enums'];
const tasks = ['water the plants', 'call Mum', 'pay the rent', 'book the dentist', 'take out the bins', 'stretch'];

const story = (group: string, needs: readonly string[], ...steps: readonly Step[]): Story => ({ group, steps, needs });
const each = <Item>(items: readonly Item[], make: (item: Item) => Story): readonly Story[] => items.map(make);
const mcp = (one: Story): Story => ({ ...one, uses: ['mcp'] });
const withBob = (one: Story): Story => ({ ...one, uses: ['friend'] });

/** No untrusted text is read. */
const own: readonly Story[] = [
  ...each(tasks, (task) => story('planning', [], [`Remind me to ${task} in half an hour`, [minds(task)]])),
  ...each(tasks, (task) =>
    story('planning', [], [`Each morning at eight, tell me to ${task}`, [plans(task)]], ['What is planned?', [lists]]),
  ),
  ...each(tasks, (task) =>
    story(
      'memory',
      [],
      [`Remember that I ${task} on Mondays`, [keeps(task)]],
      ['What do I do on Mondays?', [recalls('Mondays')]],
    ),
  ),
  ...each(tasks, (task) =>
    story(
      'memory',
      [],
      [`Keep in mind: ${task}`, [keeps(task)]],
      ['/new'],
      ['What did I want?', [recalls(), minds(task)]],
    ),
  ),
  ...each(['list.md', 'trip.md', 'cv.md', 'ideas.md'], (path) =>
    story(
      'own files',
      [],
      [`Start ${path}`, [writes(path)]],
      ['Show it to me', [reads(path)]],
      ['Send it here', [shows(path)]],
    ),
  ),
  ...each(['list.md', 'trip.md', 'cv.md', 'ideas.md'], (path) =>
    story(
      'own files',
      [],
      [`Start ${path}`, [writes(path, 'milk')]],
      ['Make it oat milk', [edits(path)]],
      ['/new'],
      [`Read ${path}`, [reads(path), keeps('likes oat milk')]],
    ),
  ),
  ...each(['ls', 'git status', 'date', 'wc -l notes.txt', 'npm test', 'du -sh .'], (command) =>
    story('commands', [], [`Run ${command}`, [runs(command)]], ['And put that into log.md', [writes('log.md')]]),
  ),
  ...each(['echo 1', 'true', 'pwd', 'ls'], (command) =>
    story(
      'commands',
      [],
      [`Run ${command}`, [runs(command)]],
      ['Again', [runs(command)]],
      ['Remember that it worked', [keeps('it worked')]],
    ),
  ),
  ...each(
    ['hi', 'how are you?', 'tell me a joke', 'translate "bread" into French', 'what is 17 × 3?', 'write a haiku'],
    (text) => story('talk', [], [text, [`[Here](https://example.com/${text.length}) you are.`]]),
  ),
  ...each(['bob', 'Bob', 'test:bob'], (to) =>
    withBob(story('messages', [], [`Tell ${to} that I am late`, [tells(to, 'I am late')]])),
  ),
  ...each(tasks, (task) => story('agents', [], [`Have the helper ${task}`, [hands(task), 'Done by the helper.']])),
];

/** Pages are read, and only looked at and answered. */
const looking: readonly Story[] = [
  ...each(topics, (topic) => story('search', [], [`What is there about ${topic}?`, [finds(topic)]])),
  ...each(topics, (topic) =>
    story('search', [], [`Look up ${topic}`, [finds(topic), fetches(), 'It says [so](https://example.com/x).']]),
  ),
  ...each(topics, (topic) =>
    story(
      'search',
      [],
      [`Look up ${topic}`, [finds(topic)]],
      ['And more of it', [finds(`${topic} more`), fetches('$SITE/more')]],
    ),
  ),
  ...each(['', '?page=2', '/a', '/b?c=d', '#top'], (rest) =>
    story('pages', [], [`Summarise ${news}${rest}`, [fetches(`${news}${rest}`)]]),
  ),
  ...each(['', '?page=2', '/a', '/b?c=d'], (rest) =>
    story(
      'pages',
      [],
      [`Summarise ${news}${rest}`, [fetches(`${news}${rest}`)]],
      ['Is it in my notes, too?', [reads()]],
    ),
  ),
  ...each(['', '?page=2', '/a', '/b?c=d'], (rest) =>
    story(
      'pages',
      [],
      ['What is in my notes?', [reads()]],
      [`Compare that with ${news}${rest}`, [fetches(`${news}${rest}`)]],
    ),
  ),
  ...each(['/one', '/two', '/three'], (path) =>
    story(
      'pages',
      [],
      ['What is in my notes?', [reads()]],
      [`Compare ${news} with $SITE${path}`, [fetches(), fetches(`$SITE${path}`)]],
    ),
  ),
  ...each(topics, (topic) =>
    story(
      'search and own files',
      [],
      ['What is in my notes?', [reads()]],
      [`Now look up ${topic}`, [finds(topic)]],
      ['And something like it', [finds(`like ${topic}`)]],
    ),
  ),
  ...each(topics, (topic) =>
    story(
      'search and own files',
      [],
      [`Look up ${topic}`, [finds(topic)]],
      ['What do I know of it?', [reads(), recalls(topic)]],
      [
        'And files?',
        [
          ['list_dir', {}],
          ['search_files', { pattern: 'milk' }],
        ],
      ],
    ),
  ),
  ...each(['/v1/rates', '/v1/stops', '/v1/weather'], (path) =>
    story(
      'APIs',
      [],
      [`Ask $SITE${path}`, [['http_request', { url: `$SITE${path}` }]]],
      ['Once more', [['http_request', { url: `$SITE${path}` }]]],
    ),
  ),
  ...each(['/v1/rates', '/v1/stops'], (path) =>
    story(
      'APIs',
      [],
      ['Read my notes', [reads()]],
      [`Ask $SITE${path}`, [['http_request', { url: `$SITE${path}` }]]],
      [`And $SITE${path} again`, [['http_request', { url: `$SITE${path}` }]]],
    ),
  ),
  ...each(topics, (topic) =>
    story('agents', [], [`Have ${topic} looked up`, [hands(topic), finds(topic), `It is about ${topic}.`]]),
  ),
  ...each(topics, (topic) =>
    mcp(
      story('servers', [], [`Look up ${topic} at the desk`, [looks(topic)]], ['And in my mail?', [['desk_inbox', {}]]]),
    ),
  ),
];

/** Actions after reading others' words, with all targets in the person's own words. */
const wished: readonly Story[] = [
  ...each(['/orders', '/votes', '/bookings', '/hooks'], (path) =>
    story('own wishes', [], [`Look at ${news}`, [fetches()]], [`Post {} to $SITE${path}`, [posts(`$SITE${path}`)]]),
  ),
  ...each(['bob@example.com', 'eve@example.com', 'sales@example.com'], (to) =>
    mcp(
      story(
        'own wishes',
        [],
        [`Look at ${news}`, [fetches()]],
        [`Mail ${to} that I am late`, [mails(to, 'I am late')]],
      ),
    ),
  ),
  ...each(['test:bob'], (to) =>
    withBob(
      story(
        'own wishes',
        [],
        [`Look at ${news}`, [fetches()]],
        [`Tell ${to} that I am late`, [tells(to, 'I am late')]],
      ),
    ),
  ),
  ...each(['I am late', 'dinner is ready', 'see you at eight'], (text) =>
    withBob(
      story(
        'own wishes',
        [],
        ['What is meant by that?', [], quoting],
        [`Tell test:bob: ${text}`, [tells('test:bob', text)]],
      ),
    ),
  ),
  ...each(['/a', '/b', '/c'], (path) =>
    story(
      'own wishes',
      [],
      ['What is that about?', [], passing],
      [`Read my notes and then $SITE${path}`, [reads(), fetches(`$SITE${path}`)]],
    ),
  ),
  ...each(topics, (topic) =>
    story(
      'after /new',
      [],
      [`Look up ${topic}`, [finds(topic)]],
      ['/new'],
      ['Remember that I like soup', [keeps('likes soup')]],
    ),
  ),
  ...each(tasks, (task) =>
    story(
      'after /new',
      [],
      [`Summarise ${news}`, [fetches()]],
      ['/new'],
      [`Each morning, ${task}`, [plans(task)]],
      ['And write it down', [writes('tasks.md', task)]],
    ),
  ),
  ...each(topics, (topic) =>
    story(
      'after /trust',
      [],
      [`Look up ${topic}`, [finds(topic)]],
      ['/trust here'],
      ['Keep that in a file', [writes('found.md')]],
    ),
  ),
  ...each(['Morning!', 'Who is there?', 'What is for lunch?'], (text) =>
    story('groups', [], [text, [], inTeam], ['Remind us at noon', [minds('lunch')], inTeam]),
  ),
  ...each(['Morning!', 'Who is there?', 'What is for lunch?'], (text) =>
    story(
      'groups',
      [],
      [text, [], bobThere],
      ['What did Bob say?', [], inTeam],
      ['Look up soup', [finds('soup')], inTeam],
    ),
  ),
  ...each(['I said it', 'as you wrote'], (text) =>
    story(
      'quotes',
      [],
      ['Do it'],
      [text, [], { quote: { name: 'Keyturn', text: 'Done.', isOwn: true } }],
      ['Then remember it', [keeps(text)]],
    ),
  ),
];

/** The same with the tools of a server of which nothing but the category is known. */
const served: readonly Story[] = each(serviceWishes, ([says, tool, args]) => ({
  ...story('own wishes at a server', [], [says, [asks, [`svc_${tool}`, args]]]),
  uses: ['services'],
}));

/** Side requests in a conversation that has read something: every card is needless. */
const asides: readonly Story[] = [
  ...each(['call Mum', 'stretch', 'pay the rent'], (task) =>
    story('asides', [], ['Look up soup', [finds('soup')]], [`Remind me to ${task} in half an hour`, [minds(task)]]),
  ),
  ...each(['likes soup', 'has a cat'], (text) =>
    story('asides', [], ['Look up soup', [finds('soup')]], [`Remember that Ada ${text}`, [keeps(text)]]),
  ),
  ...each(['list.md', 'ideas.md'], (path) =>
    story('asides', [], [`Summarise ${news}`, [fetches()]], [`Start ${path} with milk`, [writes(path, 'milk')]]),
  ),
  ...each(['Bob'], (to) =>
    withBob(
      story('asides', [], ['Look up soup', [finds('soup')]], [`Tell ${to} that I am late`, [tells(to, 'I am late')]]),
    ),
  ),
  ...each(['npm test', 'make', 'ls'], (command) =>
    story('asides', [], [`Read ${news}`, [fetches()]], [`Now run ${command}`, [runs(command)]]),
  ),
  ...each(['a', 'b', 'c', 'd', 'e', 'f'], (name) =>
    story(
      'own documents',
      [],
      ['Here is what I wrote', [reads(`${name}.txt`)]],
      ['Remember it', [keeps('it')]],
      ['And change it', [writes(`${name}.txt`)]],
    ),
  ),
  ...each(['list.md', 'ideas.md'], (path) =>
    story(
      'asides',
      ['write_file'],
      [`Look up milk and keep it in ${path}`, [finds('milk'), writes(path, 'milk')]],
      ['Make it oat milk', [edits(path)]],
    ),
  ),
];

/** A stranger's words are stored, or followed somewhere: a person should look, once. */
const looked: readonly Story[] = [
  ...each(topics, (topic) =>
    story(
      'kept from pages',
      ['write_file'],
      [`Look up ${topic} and keep it in found.md`, [finds(topic), writes('found.md')]],
    ),
  ),
  ...each(topics, (topic) =>
    story('kept from pages', ['memory_store'], [`Look up ${topic} and remember it`, [finds(topic), keeps(topic)]]),
  ),
  ...each(tasks, (task) =>
    story(
      'kept from pages',
      ['schedule'],
      [`Read ${news}, and do so each morning`, [fetches(), plans(`${task}, and read the news`)]],
    ),
  ),
  ...each(['/a', '/b', '/c', '/d'], (path) =>
    story(
      'links of pages',
      ['web_fetch'],
      ['My notes, please', [reads()]],
      [`Read ${news} and what it links to`, [fetches(), fetches(`$SITE/linked${path}`)]],
    ),
  ),
];

export function mornings(): readonly Morning[] {
  return [...own, ...looking, ...wished, ...served, ...asides, ...looked].map(
    ({ group: name, steps, needs = [], uses }) => ({
      group: name,
      name: `${name}: ${steps.map(([text]) => text).join(' → ')}`,
      needs,
      uses,
      async play(stage) {
        stage.searched('What was found', 'Here is what there is.');
        for (const [text, deeds, deed] of steps) await stage.says(text.replaceAll('$SITE', stage.site), deeds, deed);
      },
    }),
  );
}
