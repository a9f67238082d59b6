CREATE TABLE IF NOT EXISTS stock (
  sku TEXT PRIMARY KEY,
  name TEXT,
  qty INTEGER,
  price REAL,
  external_id TEXT
)
