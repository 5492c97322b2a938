// The questions that are asked of Sluice, of the engine and of Polars, in the words of each.

export const FILES = [
  { file: 'ten_million.parquet', dataset: 'ten_million', rows: '10 M rows, Parquet' },
  { file: 'one_million.csv', dataset: 'one_million', rows: '1 M rows, CSV' },
];

export const QUESTIONS = [
  {
    name: 'group by',
    arguments: { group_by: ['k'], aggs: [{ col: 'price', fn: 'sum' }], max_tokens: 25_000, confirm: true },
    polars: (pl, data) => data.groupBy('k').agg(pl.col('price').sum().alias('price_sum')).sort('k'),
  },
  {
    name: 'filter and limit',
    arguments: {
      filters: [{ col: 'city', op: 'eq', value: 'city 7' }, { col: 'price', op: 'gt', value: 9990 }],
      limit: 20,
    },
    polars: (pl, data) => data.filter(pl.col('city').eq(pl.lit('city 7')).and(pl.col('price').gt(9990))).limit(20),
  },
  {
    name: 'contains, count',
    arguments: { filters: [{ col: 'note', op: 'contains', value: 'abc' }], aggs: [{ fn: 'count' }] },
    polars: (pl, data) => data.filter(pl.col('note').str.contains('abc', true)).select(pl.len().alias('count')),
  },
  {
    name: 'top 10',
    arguments: { order_by: [{ col: 'price', desc: true }], limit: 10 },
    polars: (pl, data) => data.sort('price', true).limit(10),
  },
  {
    name: 'distinct',
    arguments: { columns: ['city'], distinct: true, confirm: true },
    polars: (pl, data) => data.select('city').unique().sort('city'),
  },
];
