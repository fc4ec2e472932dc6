import { describe, expect, test } from 'vitest';
import { readPhrase } from '../../src/model/offline-phrases.ts';

function list(path = '.') {
  return { name: 'list_dir', arguments: { path } };
}
function read(path: string) {
  return { name: 'read_file', arguments: { path } };
}
function write(path: string, content: string) {
  return { name: 'write_file', arguments: { path, content } };
}
function edit(path: string, old_text: string, new_text: string) {
  return { name: 'edit_file', arguments: { path, old_text, new_text } };
}
function shell(command: string) {
  return { name: 'shell', arguments: { command } };
}
function errand(name: string, args: Readonly<Record<string, string | number>>) {
  return { name, arguments: args };
}
function echo(message: string) {
  return { name: 'echo', arguments: { message } };
}

describe('a sentence', () => {
  test.each([
    ['list the files', list()],
    ['Please list the files.', list()],
    ['LIST THE FILES!', list()],
    ['ls', list()],
    ['list', list()],
    ['List.', list()],
    ['ls -la', list()],
    ['ls docs', list('docs')],
    ['List the files in docs.', list('docs')],
    ['could you list all files in the docs folder please', list('docs')],
    ['Would you show me the files, thanks', list()],
    ['list my workspace', list()],
    ['list "my folder"', list('my folder')],
    ['what files are there?', list()],
    ["what's in docs?", list('docs')],
    ['ls ..', list('..')],
    ['read notes.txt', read('notes.txt')],
    ['Could you read notes.txt?', read('notes.txt')],
    ['cat src/a.ts', read('src/a.ts')],
    ['show me notes.txt', read('notes.txt')],
    ['open "my notes.txt"', read('my notes.txt')],
    ['read the file todo.md, please', read('todo.md')],
    ['show the contents of a.txt', read('a.txt')],
    ['what does notes.txt say?', read('notes.txt')],
    ['what is in notes.txt', read('notes.txt')],
    ['write hello to notes.txt', write('notes.txt', 'hello')],
    ['write notes.txt: hello', write('notes.txt', 'hello')],
    ['Write "milk and bread" to list.txt', write('list.txt', 'milk and bread')],
    ['write a letter to mum to mum.txt', write('mum.txt', 'a letter to mum')],
    ['write `x = 1` into "a b.py"', write('a b.py', 'x = 1')],
    ['write n.txt: list it and read it, then run', write('n.txt', 'list it and read it, then run')],
    ['write n.txt: first line\nread me', write('n.txt', 'first line\nread me')],
    ['create a file x.txt with some words', write('x.txt', 'some words')],
    ['create a new file called x.md containing: # Hi', write('x.md', '# Hi')],
    ['make an empty file e.txt', write('e.txt', '')],
    ['replace foo with bar in a.txt', edit('a.txt', 'foo', 'bar')],
    ['replace "a with b" by "c in d" in e.txt', edit('e.txt', 'a with b', 'c in d')],
    ['please change red to blue in the file c.css.', edit('c.css', 'red', 'blue')],
    ['run `ls -la`', shell('ls -la')],
    ['run ls -la', shell('ls -la')],
    ['Execute date.', shell('date')],
    ['run the command uname -a', shell('uname -a')],
    ['run cd ..', shell('cd ..')],
    ['run a; b && c', shell('a; b && c')],
    ['$ pwd', shell('pwd')],
    ['run ```sh\necho hi\ndate\n```', shell('echo hi\ndate')],
    ['echo hello', echo('hello')],
    ['say "hi there"', echo('hi there')],
    ['remember that the bin is emptied on Friday.', errand('memory_store', { text: 'the bin is emptied on Friday' })],
    ['what do you remember about the bin?', errand('memory_search', { query: 'the bin' })],
    ['what do you remember?', errand('memory_search', { query: '' })],
    ['recall bin', errand('memory_search', { query: 'bin' })],
    ['remind me in 5 minutes to stand up', errand('remind', { text: 'stand up', in_minutes: 5 })],
    ['Remind me to "call mum" in 2 hours', errand('remind', { text: 'call mum', in_minutes: 120 })],
    ['find *.md', errand('find_files', { pattern: '*.md' })],
    ['find files called notes*', errand('find_files', { pattern: 'notes*' })],
    ['search for milk in the files', errand('search_files', { pattern: 'milk' })],
    ['search the web for "oat milk"', errand('web_search', { query: 'oat milk' })],
    ['fetch https://example.com/a?b=c', errand('web_fetch', { url: 'https://example.com/a?b=c' })],
    ['read https://example.com', errand('web_fetch', { url: 'https://example.com' })],
    ['send me notes.txt', errand('send_file', { path: 'notes.txt' })],
  ])('%j becomes a call', (text, call) => {
    expect(readPhrase(text)).toEqual({ type: 'calls', calls: [call] });
  });

  test.each([
    ['list the files and run `date`', [list(), shell('date')]],
    ['list the files, then read a.txt', [list(), read('a.txt')]],
    ['read a.txt and then read b.txt; then run ls', [read('a.txt'), read('b.txt'), shell('ls')]],
    ['write hello to a.txt and read a.txt', [write('a.txt', 'hello'), read('a.txt')]],
    ['run `make` and please read log.txt', [shell('make'), read('log.txt')]],
    ['run make and read log.txt', [shell('make and read log.txt')]],
    ['run make and then read log.txt', [shell('make'), read('log.txt')]],
    ['list the files\nread a.txt', [list(), read('a.txt')]],
    ['echo "list the files and run it"', [echo('list the files and run it')]],
  ])('%j becomes these calls', (text, calls) => {
    expect(readPhrase(text)).toEqual({ type: 'calls', calls });
  });

  test.each(['help', 'Hi!', 'hello there', 'What can you do?', 'who are you', '/help'])('%j asks for help', (text) => {
    expect(readPhrase(text)).toEqual({ type: 'help' });
  });

  test.each([
    '',
    'tell me a joke',
    'show me love',
    'read me a story',
    'show me how to cook',
    'list the files and dance',
    'replace a',
    'write n.txt:',
    'create a file n.txt containing:',
    'write this',
    'read `; rm -rf',
  ])('%j is not understood', (text) => {
    expect(readPhrase(text)).toEqual({ type: 'unknown' });
  });
});

test.each([
  'run',
  'run it',
  'Please run that.',
  'run ` `',
  'run ``',
  'run `ls',
  'run ls`',
  'list the files and run it',
])('%j asks to run something, and does not say what', (text) => {
  expect(readPhrase(text)).toEqual({ type: 'no-command' });
});

test.each([
  ['/frobnicate', '/frobnicate'],
  ['/weather in Rome', '/weather'],
])('%j is a command that there is not', (text, name) => {
  expect(readPhrase(text)).toEqual({ type: 'no-such-command', name });
});

describe('a hostile sentence', () => {
  test('with a command for a file name stays a file name', () => {
    expect(readPhrase('read "`; rm -rf ~"')).toEqual({ type: 'calls', calls: [read('`; rm -rf ~')] });
    expect(readPhrase('cat $(reboot)')).toEqual({ type: 'calls', calls: [read('$(reboot)')] });
  });

  test.each([
    ['spaces', `read ${' '.repeat(200_000)}x y`],
    ['full stops', `read ${'.'.repeat(200_000)}x .`],
    ['backticks', '`'.repeat(200_001)],
    ['quotes', `run ${'"\''.repeat(100_000)}`],
    ['joining words', `list the files ${'and run ls '.repeat(20_000)}`],
    ['further sentences', `write ${'x and read '.repeat(20_000)}`],
    ['"then"', `run ${'then then '.repeat(20_000)}`],
    ['"to"', `write ${' to '.repeat(50_000)}x`],
    ['"with"', `replace ${' with in '.repeat(30_000)}`],
    ['"please"', 'please '.repeat(40_000)],
    ['line feeds', `${'\n'.repeat(200_000)}ls`],
    ['commas', `list${', '.repeat(100_000)}then`],
  ])('of 200,000 characters, mostly %s, is read in a moment', (_name, text) => {
    const begin = performance.now();
    readPhrase(text);
    // A search that goes over the text again for each character would take minutes.
    expect(performance.now() - begin).toBeLessThan(1000);
  });
});
