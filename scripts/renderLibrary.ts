/** Renders the library's reference from its docstrings; types of results come from the control plane's contract. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { parse } from 'yaml'
import type { Schema } from '../src/contract/Contract.ts'
import { markdownTable } from '../src/report/markdown.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

type Declaration =
  | ts.FunctionDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.ClassDeclaration

/** The described exports of the library, by name. */
const declarations = new Map<string, Declaration>(
  [
    'src/index.ts',
    'src/SimulatorOptions.ts',
    'src/client/SimulatorHandle.ts',
    'src/client/FaultOptions.ts',
    'src/client/SimulatorError.ts',
    'src/lib/UserError.ts',
    'src/lib/Issue.ts',
    'src/scenario/ScenarioError.ts',
    'src/contract/shapes.ts',
    'src/findings/findings.ts',
    'src/service/settings.ts',
    'src/scenario/ScenarioDocument.ts',
    'src/http/overrides.ts',
    'src/http/tls.ts',
    'src/client/ControlPlane.ts',
    'src/world/World.ts',
  ].flatMap((path) =>
    ts
      .createSourceFile(path, readFileSync(root + path, 'utf8'), ts.ScriptTarget.Latest, true)
      .statements.flatMap((node) =>
        isDeclaration(node) && node.name ? [[node.name.text, node] as const] : [],
      ),
  ),
)

function isDeclaration(node: ts.Node): node is Declaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node)
  )
}

const taken = ['FaultOptions', 'ScheduledChange', 'ScenarioInput', 'RequestFilter', 'AccountScope']

/** Smaller types of arguments, with pages that describe their values. */
const others: Record<string, string> = {
  ScenarioRef: 'scenarios.md',
  ScenarioNameOf: 'scenarios.md',
  ScenarioAccount: 'scenarios.md',
  ScenarioDocument: 'scenarios.md',
  Interpretations: 'assumptions.md',
  Overrides: 'overrides.md',
  PatchOf: 'scenarios.md',
  TlsOptions: 'tls.md',
  UrlLike: '',
  LogLevel: '',
}

/** The return types of calls, with their schemas in the control plane's contract if their declaration doesn't have them. */
const returned: Record<string, string> = {
  AccountState: `Schemas['World']`,
  AccountSummary: '',
  ActiveFault: '',
  Assumption: '',
  ClockReading: `Schemas['Clock']`,
  CoverageReport: '',
  Finding: '',
  Health: '',
  JournalEntry: `Schemas['Entry']`,
  LoadResult: '',
  NewAccount: '',
  RequestPage: '',
  RequestMatches: '',
  ScenarioInfo: '',
  Snapshot: '',
  Timeline: '',
}

export function library(): string {
  return [
    '## Start and connect',
    ...['startSimulator', 'openSimulator', 'connectSimulator'].map(functionText),
    '## Options',
    'Options of `startSimulator` and `openSimulator`. All are optional.',
    optionTable(),
    '## The simulator',
    getText('SimulatorHandle'),
    ...getMembers('SimulatorHandle').map((member) => memberText('sim.', member)),
    ...getMembers('StartedSimulator').map((member) => memberText('sim.', member)),
    '## State, faults and requests of an account',
    'On `sim`, each of these calls takes `{ account: LOGIN }` as its last argument; it is required if there are several accounts. On an account (from `sim.createAccount()` or `sim.account(LOGIN)`), they apply to that account.',
    ...getMembers('AccountControls')
      .filter((member) => getName(member) !== 'clock')
      // `sim.coverage()` is described above.
      .map((member) => memberText(getName(member) === 'coverage' ? 'account.' : 'sim.', member)),
    '## The clock',
    getText('ClockControls'),
    ...getMembers('ClockControls').map((member) => memberText('sim.clock.', member)),
    '## Isolated accounts',
    `${getText('Account')} It has the calls of the two sections above, and the fields of [NewAccount](#newaccount).`,
    ...getMembers('Account').map((member) => memberText('account.', member)),
    '## Types of arguments',
    ...taken.map(argumentText),
    '### Other types',
    otherTypes(),
    '## Types of results',
    ...Object.keys(returned).map(resultText),
    '## Errors',
    errorsText(),
  ].join('\n\n')
}

function declared(name: string): Declaration {
  const found = declarations.get(name)
  if (!found) throw new Error(`The library declares no ${name}.`)
  return found
}

function getMembers(name: string): ts.TypeElement[] {
  const node = declared(name)
  return ts.isInterfaceDeclaration(node) ? [...node.members].filter(({ name: named }) => named) : []
}

function getName(member: ts.TypeElement): string {
  return member.name?.getText() ?? ''
}

interface Docs {
  text: string
  /** Comments of the tags of a name */
  tags: (name: string) => string[]
  params: [name: string, text: string][]
}

/** The docstring of a declaration. */
function getDocs(node: ts.Node): Docs {
  const all = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const tags = all.flatMap((one) => [...(one.tags ?? [])])
  const comment = (tag: ts.JSDocTag): string => ts.getTextOfJSDocComment(tag.comment) ?? ''
  return {
    text: all.map((one) => ts.getTextOfJSDocComment(one.comment) ?? '').join(' '),
    tags: (name) => tags.filter(({ tagName }) => tagName.text === name).map(comment),
    params: tags.filter(ts.isJSDocParameterTag).map((tag) => [tag.name.getText(), comment(tag)]),
  }
}

function getText(name: string): string {
  return sentence(getDocs(declared(name)).text)
}

/** Joins lines, and adds a full stop. */
function sentence(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line === '' || /[.:]$/.test(line) ? line : `${line}.`
}

function functionText(name: string): string {
  const node = declared(name)
  if (!ts.isFunctionDeclaration(node)) throw new Error(`${name} is no function.`)
  const params = node.parameters.map((one) => parameterText(one)).join(', ')
  return describe(`${name}()`, `${name}(${params}): ${typeText(node.type)}`, node)
}

function memberText(owner: string, member: ts.TypeElement): string {
  const name = getName(member)
  const type = ts.isPropertySignature(member) ? member.type : undefined
  if (type && ts.isFunctionTypeNode(type)) {
    const params = type.parameters.filter(({ dotDotDotToken }) => !dotDotDotToken).map(parameterText)
    return describe(`${owner}${name}()`, `${name}(${params.join(', ')}): ${typeText(type.type)}`, member)
  }
  if (type && ts.isTypeLiteralNode(type) && type.members.every(ts.isCallSignatureDeclaration)) {
    const calls = type.members.map((call) => `${name}${typeText(call)}`)
    return describe(`${owner}${name}()`, calls.join('; '), member)
  }
  return describe(`${owner}${name}`, `${name}: ${typeText(type)}`, member)
}

function parameterText(node: ts.ParameterDeclaration): string {
  const optional = (node.questionToken ?? node.initializer) ? '?' : ''
  return `${node.name.getText()}${optional}: ${typeText(node.type)}`
}

/** Prints a type in one line, without type parameters, which only restrict names. */
function typeText(node: ts.Node | undefined): string {
  return (node?.getText() ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('<Name>', '')
    .replaceAll('<Op>', '')
    .replace(/\(typeof simulatorCases\)\[number\] \| .*/, 'string')
    .replaceAll(/\{ (\w+)\?: ScenarioNameOf (\w+)\?/g, '{ $1?: ScenarioNameOf; $2?')
}

function describe(title: string, signature: string, node: ts.Node): string {
  const docs = getDocs(node)
  const notes = [
    ...docs.params.map(([name, text]) => `- \`${name}\`: ${sentence(text)}`),
    ...docs.tags('returns').map((text) => `- Returns ${sentence(text)}`),
    ...docs.tags('throws').map((text) => `- Throws ${sentence(text)}`),
    ...seeAlso(signature),
  ]
  return [
    `### ${title}`,
    `\`${signature}\``,
    sentence(docs.text),
    notes.join('\n'),
    ...docs.tags('example').map(example),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function seeAlso(signature: string): string[] {
  const names = [...taken, ...Object.keys(returned)].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(signature),
  )
  return names.length > 0 ? [`- Types: ${names.map(linked).join(', ')}`] : []
}

function linked(name: string): string {
  return `[${name}](#${name.toLowerCase()})`
}

function example(text: string): string {
  return `<!-- not run: test/slow/pages.test.ts compiles it -->\n\n\`\`\`ts\n${text.trim()}\n\`\`\``
}

function optionTable(): string {
  const own = new Map(
    [...getMembers('SimulatorOptions'), ...getMembers('StartOptions')].map((member) => [
      getName(member),
      member,
    ]),
  )
  return fieldTable([...own.values()], true)
}

/** Renders code that may contain backticks. */
function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

function fieldTable(members: readonly ts.TypeElement[], withDefault: boolean): string {
  const rows = members.map((member) => {
    const docs = getDocs(member)
    const examples = docs.tags('example').map((text) => `Example: \`${text.trim()}\`.`)
    const type = ts.isPropertySignature(member) ? typeText(member.type) : ''
    const usual = docs.tags('default')[0]
    return [
      `\`${getName(member)}\``,
      code(type),
      ...(withDefault
        ? [usual === undefined ? '' : /^(?:none|in memory)/.test(usual) ? usual : `\`${usual}\``]
        : []),
      [sentence(docs.text), ...examples].join(' '),
    ]
  })
  return markdownTable(['Name', 'Type', ...(withDefault ? ['Default'] : []), 'Meaning'], rows)
}

function argumentText(name: string): string {
  const node = declared(name)
  const examples = getDocs(node)
    .tags('example')
    .map((text) => `\`${text.trim()}\``)
  const also = examples.length > 0 ? ` For example ${examples.join(' or ')}.` : ''
  const members = ts.isInterfaceDeclaration(node) ? getMembers(name) : literalMembers(node)
  // The fields of a fault are those of its effects, which the contract of the control plane lists.
  const table =
    name === 'FaultOptions'
      ? schemaTable(getSchema(`Schemas['Fault']`), ['id', 'seen', 'used'])
      : fieldTable(members, false)
  return `### ${name}\n\n${getText(name)}${also}\n\n${table}`
}

function otherTypes(): string {
  const rows = Object.entries(others).map(([name, page]) => [
    `\`${name}\``,
    `${getText(name)}${page ? ` See [${getTitle(page)}](${page}).` : ''}`,
  ])
  return markdownTable(['Type', 'Meaning'], rows)
}

/** The title of a page of the guide. */
function getTitle(page: string): string {
  return /^# (.*)/.exec(readFileSync(`${root}docs/${page}`, 'utf8'))?.[1] ?? page
}

/** The members of all literals and interfaces of a type. */
function literalMembers(node: ts.Node): ts.TypeElement[] {
  if (ts.isTypeLiteralNode(node) && !ts.isPropertySignature(node.parent)) return [...node.members]
  if (ts.isPropertySignature(node)) return []
  if (ts.isTypeReferenceNode(node)) return getMembers(node.typeName.getText())
  const found: ts.TypeElement[] = []
  node.forEachChild((child) => void found.push(...literalMembers(child)))
  return found
}

const contract = parse(readFileSync(`${root}admin.openapi.yaml`, 'utf8')) as {
  paths: Record<string, Record<string, { operationId?: string; responses: Record<string, Schema> }>>
  components: Record<string, Record<string, Schema>>
}

function resultText(name: string): string {
  const node = declarations.get(name)
  const schema = getSchema(
    returned[name] || (node && ts.isTypeAliasDeclaration(node) ? node.type.getText() : ''),
  )
  const own = (node && getText(name)) || sentence(toText(schema['description']))
  return `### ${name}\n\n${own}\n\n${schemaTable(schema)}`
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function schemaTable(schema: Schema, omitted: readonly string[] = []): string {
  const rows = toRows(schema, '')
    .filter(([field]) => !omitted.includes(field))
    .map(([field, type, text]) => [`\`${field}\``, type, text])
  return markdownTable(['Field', 'Type', 'Meaning'], rows)
}

/** Finds the schema that a type of `shapes.ts` is derived from. */
function getSchema(type: string): Schema {
  const named = /Schemas\['(?<schema>\w+)'\]/.exec(type)?.groups?.['schema']
  if (named !== undefined) return contract.components['schemas']?.[named] ?? {}
  const { operation, status = '200' } =
    /BodyOf<'(?<operation>\w+)'(?:, (?<status>\d+))?>/.exec(type)?.groups ?? {}
  const found = Object.values(contract.paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === operation)
  const response = resolve(found?.responses[status] ?? {})
  const content = response['content'] as Record<string, { schema: Schema }> | undefined
  const schema = content?.['application/json']?.schema ?? {}
  return type.endsWith('[number]') ? (schema['items'] as Schema) : schema
}

type Row = [field: string, type: string, text: string]

/** Renders a row for each field, including those of nested objects. */
function toRows(schema: Schema, above: string): Row[] {
  const resolved = resolve(schema)
  const parts = [resolved, ...((resolved['allOf'] as Schema[] | undefined) ?? []).map(resolve)]
  return parts.flatMap((part) =>
    Object.entries((part['properties'] ?? {}) as Record<string, Schema>).flatMap(([name, field]): Row[] => {
      const path = above + name
      const { type, inner, suffix } = toType(field)
      const text = sentence(toText(field['description'] ?? resolve(field)['description']))
      return [[path, type, text], ...(inner ? toRows(inner, `${path}${suffix}.`) : [])]
    }),
  )
}

function resolve(schema: Schema): Schema {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(toText(schema['$ref'])) ?? []
  return kind ? (contract.components[kind]?.[name] ?? {}) : schema
}

/** Describes the type of a field, and its nested fields if no other section does. */
function toType(field: Schema): { type: string; inner?: Schema | undefined; suffix: string } {
  const named = describedAs(field)
  if (named !== undefined) return { type: linked(named), suffix: '' }
  const schema = resolve(field)
  const orNull = schema['nullable'] === true ? ' or null' : ''
  if (schema['type'] === 'array') {
    const of = toType((schema['items'] ?? {}) as Schema)
    return { type: `array of ${of.type}${orNull}`, inner: of.inner, suffix: `[]${of.suffix}` }
  }
  if (schema['enum']) {
    const values = (schema['enum'] as unknown[]).map((one) => `\`${String(one)}\``)
    return { type: values.join(', '), suffix: '' }
  }
  const inner = schema['properties'] || schema['allOf'] ? schema : undefined
  return { type: `${toText(schema['type']) || 'any'}${orNull}`, inner, suffix: '' }
}

/** Finds the section of this page that describes a schema. */
function describedAs(field: Schema): string | undefined {
  if (field['$ref'] === undefined) return undefined
  const schema = resolve(field)
  if (schema === getSchema(`Schemas['Fault']`)) return 'ActiveFault'
  return Object.keys(returned).find((name) => {
    const node = declarations.get(name)
    const type = returned[name] || (node && ts.isTypeAliasDeclaration(node) ? node.type.getText() : '')
    return getSchema(type) === schema
  })
}

function errorsText(): string {
  const codes = getDocs(declared('ErrorCode')).text
  return [
    '### UserError',
    getText('UserError'),
    `\`code\`: ${codes.trim()}`,
    '### SimulatorError',
    `${getText('SimulatorError')} Its \`code\` is \`ERR_PROXYSIM_REFUSED\`.`,
    classTable('SimulatorError'),
    '### ScenarioError',
    `${getText('ScenarioError')} Its \`code\` is \`ERR_PROXYSIM_SCENARIO\`.`,
    classTable('ScenarioError'),
  ].join('\n\n')
}

function classTable(name: string): string {
  const node = declared(name)
  const members = ts.isClassDeclaration(node) ? node.members.filter(ts.isPropertyDeclaration) : []
  const rows = members
    .filter((member) => getDocs(member).text !== '')
    .map((member) => [
      `\`${member.name.getText()}\``,
      `\`${typeText(member.type)}\``,
      sentence(getDocs(member).text),
    ])
  return markdownTable(['Field', 'Type', 'Meaning'], rows)
}
