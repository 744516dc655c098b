-- SPDX-License-Identifier: Apache-2.0
-- TPC-H Q6 with asyncscan in SQL:
--   spark-sql --jars asyncscan-spark_2.13-<version>.jar -d path=s3a://bucket/lineitem/ -f q6.sql

CREATE TEMPORARY VIEW lineitem
USING asyncscan
OPTIONS (path '${path}');

SELECT sum(l_extendedprice * l_discount) AS revenue
FROM lineitem
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
  AND l_discount BETWEEN 0.05 AND 0.07
  AND l_quantity < 24;
