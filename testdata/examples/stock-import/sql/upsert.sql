INSERT INTO stock (sku, name, qty, price, external_id) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (sku) DO UPDATE SET name = excluded.name, qty = excluded.qty, price = excluded.price, external_id = excluded.external_id
